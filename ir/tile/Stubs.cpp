#include "ir/tile/Tile.h"
using namespace mlir;
using namespace kiln::tile;
LogicalResult AllocRingOp::verify() { return success(); }
LogicalResult FillOp::verify() { return success(); }
LogicalResult FillOp::verifyRegions() { return success(); }
LogicalResult RingReleaseOp::verify() { return success(); }
LogicalResult TmaLoadOp::verify() { return success(); }
LogicalResult TmaStoreOp::verify() { return success(); }
LogicalResult TmaStoreWaitOp::verify() { return success(); }
LogicalResult BulkLoadOp::verify() { return success(); }
LogicalResult BulkStoreOp::verify() { return success(); }
LogicalResult WgmmaOp::verify() { return success(); }
LogicalResult WgmmaWaitOp::verify() { return success(); }
LogicalResult SpecializeOp::verify() { return success(); }
LogicalResult SpecializeOp::verifyRegions() { return success(); }
LogicalResult AllocTurnsOp::verify() { return success(); }
LogicalResult TakeTurnOp::verify() { return success(); }
LogicalResult PassTurnOp::verify() { return success(); }
LogicalResult ClusterBarrierOp::verify() { return success(); }
LogicalResult RemoteOp::verify() { return success(); }
LogicalResult ExtentOp::verify() { return success(); }
LogicalResult StrideOp::verify() { return success(); }
LogicalResult RasterizeOp::verify() { return success(); }
LogicalResult ExtractOp::verify() { return success(); }
LogicalResult SubtileOp::verify() { return success(); }
LogicalResult ReduceRowsOp::verify() { return success(); }
LogicalResult BroadcastOp::verify() { return success(); }
LogicalResult RelayoutOp::verify() { return success(); }
LogicalResult CoordinatesOp::verify() { return success(); }
LogicalResult StoreMatrixOp::verify() { return success(); }
