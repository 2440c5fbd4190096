"""The texts whose token ids record_fixtures.py records: hand-written ones by theme, then seeded random mixtures."""

import random

FULL = 512
SHORT = 128

PLAIN = """\
Hello, world!
The quick brown fox jumps over the lazy dog.
unaffable
Unbelievably, antidisestablishmentarianism floccinaucinihilipilification.
don't can't won't it's o'clock rock'n'roll
e.g. i.e. etc. U.S.A. Ph.D. 3.14159 1,000,000 -5e-3
C++ C# F# .NET node.js #hashtag @user user@example.org
https://example.org/a/b?c=d&e=f#g
A_b-C/d\\e|f~g`h^i{j}k[l]m<n>o=p+q
$100 £200 €300 ¥400 ₹500 ₿6
50% ½ ¼ ¾ 10‰ 5° 20℃ №7 §8 ¶9
"Double" 'single' “curly” ‘curly’ «angle» „low“ ‹x›
wait... what?! no—really – yes‒maybe―so‐on‑hy
(a) [b] {c} <d>
MiXeD CaSe WORDS camelCase snake_case kebab-case SCREAMING
int main(int argc, char **argv) { return 0; }
0 00 007 1234567890 12345678901234567890 0xdeadbeef 1e10
a b c d e f g h i j k l m n o p q r s t u v w x y z
##ing ## # ing##s ##
the The THE tHe""".split("\n")

WHITE_SPACE = [
    "", " ", "\t", "\n", "\r\n", " \t\n ", "\u00a0", "\u3000", "\u2028\u2029", "\u0085",
    "tab\tseparated\tvalues", "line one\nline two\r\nline three\rline four", "no\u00a0break\u00a0space",
    "ideographic\u3000space", "em\u2003en\u2002thin\u2009hair\u200afigure\u2007", "narrow\u202fno-break",
    "ogham\u1680space", "medium\u205fmath", "vertical\u000btab form\u000cfeed", "file\u001cgroup\u001drecord\u001eunit\u001f",
    "next\u0085line", "line\u2028separator paragraph\u2029separator", "  leading and trailing  ", "many      spaces",
]

CONTROL = [
    "nul\u0000inside", "\u0000", "bell\u0007 backspace\u0008 escape\u001b[31m delete\u007f", "c1 \u0080\u0090\u009f controls",
    "replacement \ufffd character", "\ufffd", "soft\u00adhyphen", "zero\u200bwidth\u200bspace", "zero\u200cwidth\u200dnon\u200bjoiner",
    "word\u2060joiner", "\ufeffbyte order mark", "bom\ufeffinside", "function\u2061 application \u2062 times \u2063",
    "interlinear \ufff9anchor\ufffaannotation\ufffb", "object \ufffc replacement", "tags \U000e0041\U000e0042\U000e007f",
    "non-characters \ufdd0 \ufffe \uffff \U0001ffff \U0010ffff", "private use \ue000 \uf8ff \U000f0000 \U0010fffd",
    "beside the surrogates \ud7ff\ue000 \ud7fb", "mongolian\u180evowel separator", "combining grapheme\u034fjoiner",
    "variation \u2764\ufe0f \u2764\ufe0e selectors", "ideographic variation \u845b\U000e0100",
    "khmer \u17b4\u17b5 inherent", "arabic number sign \u0600123 \u06dd \u070f \u08e2", "shorthand \U0001bca0\U0001bca3",
    "musical \U0001d173\U0001d17a beams", "egyptian \U00013430 joiner",
]

ACCENTS = [
    "café naïve résumé façade jalapeño", "CAFÉ NAÏVE RÉSUMÉ FAÇADE", "cafe\u0301 nai\u0308ve re\u0301sume\u0301",
    "Zoë Ångström Malmö København Łódź Dvořák", "Größe Straße weiß ẞ GROẞE", "İstanbul ISPARTA ılık İİ ıI i̇",
    "Đorđe Ħamrun Øresund Þórr ðæt œuvre Æsir", "Tiếng Việt Nguyễn Trường Đại học", "ŝuĥo ĉapo ĵaŭdo ĝi",
    "a\u0300\u0301\u0302\u0303\u0304\u0305", "\u0301leading mark", "x\u0338y\u20d2z\u0489", "q\u0323\u0307 q\u0307\u0323",
    "zalgo t\u0310\u0334\u0352e\u0489x\u0363t\u035d", "ǅungla Ǆ ǆ ǈ ǋ Ǳ ǲ", "ﬁne ﬂow ﬀ ﬃ ﬄ ﬅ ﬆ Ĳssel ĳ", "Ａｌｐｈａ ｆｕｌｌｗｉｄｔｈ １２３ ！？",
    "ⅷ Ⅷ ① ⑳ ⒜ Ⓐ ㊀ ㍿ ㎏", "x² y³ H₂O E=mc² 2ⁿ ªº", "K\u212aelvin \u212bngstr\u00f6m \u2126hm", "Ꭰ ꭰ Ꮳ cherokee", "ɐ ɓ ʃ ʒ ŋ IPA ˈstress ː",
    "\u1e9e \u1e9b\u0323 \u017fhort s", "\u0390 \u1fd3 \u0345 \u1fb3", "\u0958 \u0959 \u09dc devanagari nukta",
]

GREEK_CYRILLIC = [
    "ΟΔΥΣΣΕΥΣ Ὀδυσσεύς ὀδυσσεύς", "Σίσυφος ΣΊΣΥΦΟΣ σς Σ", "Ἐν ἀρχῇ ἦν ὁ λόγος", "ᾳ ᾼ ᾈ ῼ ΐ ΰ", "Καλημέρα κόσμε",
    "Привет, мир! ЁЖИК ёжик й Й", "Київ Їжак ґанок Є", "Ѣ ѣ Ѳ Ѵ Ѫ ҂", "Ћирилица Љубав Њ Џ", "Ӂ ӝ Ӱ Ғ қ Ң",
    "Հայերեն Երևան և", "ქართული ᲥᲐᲠᲗᲣᲚᲘ Ⴀ ⴀ", "ⰀⰁ ⰰⰱ Ⲁⲁ \U00010400\U00010428 \U0001e900\U0001e922",
]

EAST_ASIA = [
    "北京大学", "中文 and English 混合", "東京都渋谷区", "こんにちは世界", "カタカナ ｶﾀｶﾅ ﾊﾞﾊﾟ ガ カ\u3099", "が か\u3099 は\u309a ぱ",
    "한국어 문장입니다", "\u1112\u1161\u11ab\u1100\u116e\u11a8", "\uac00\u11a8 \u1100\uac01 \uac00\u0301", "\u3131\u314f ㄱㄴㄷ \uffa1\uffc2",
    "㐀 䶵 extension a", "\U00020000 \U0002a6d6 \U0002a700 \U0002b740 \U0002b820 \U0002ceb0 extensions", "\U00030000\U00031350 g and h",
    "\uf900 \ufa0e \ufaff \U0002f800 compatibility", "龍\ufa30龜", "「引用」『二重』【括弧】〈山〉《書》、。・～", "〇 〻 々 〆 ヶ ー ゝ",
    "\u2f00 \u2e80 radicals ⿰", "㋿ ㍻ ㋀ ㈱", "ㄅㄆㄇ ㆠ bopomofo", "\ua000\ua001 yi \u4dc0 hexagram", "\U00017000 tangut \U0001b000 kana",
    "日本語のトークン化は難しい。", "吃葡萄不吐葡萄皮，不吃葡萄倒吐葡萄皮。", "妳好嗎？我很好！",
]

OTHER_SCRIPTS = [
    "שלום עולם", "שָׁלוֹם \ufb2a\ufb4f", "مرحبا بالعالم", "مَرْحَبًا \ufefb \ufdfa", "\u200fright\u200e to left\u202e override\u202c", "\u2066isolate\u2069 \u061c mark",
    "हिन्दी में वाक्य", "क\u094d\u200dष क\u093c", "বাংলা ভাষা কো", "தமிழ் கொ", "తెలుగు ಕನ್ನಡ മലയാളം", "සිංහල", "ภาษาไทยไม่มีช่องว่าง", "ສະບາຍດີ",
    "བོད་སྐད་ \u0f73\u0f75", "မြန်မာဘာသာ", "ភាសាខ្មែរ", "አማርኛ ፡ ።", "ᓀᐦᐃᔭᐍᐏᐣ \u166d\u166e", "ᚠᚢᚦᚨᚱᚲ ᚛ᚑᚌᚐᚋ᚜", "\u1734 \u1714 philippine", "ᠮᠣᠩᠭᠣᠯ \u1885\u1886",
    "ꦗꦮ \ua9bd javanese", "\U00011134 \U000111c9 sharada", "߀ߊߋ ߷ \u07fd", "ދިވެހި", "ܣܘܪܝܝܐ \u0711", "\u0898\u08ca newer arabic marks", "\u1dfa\u1df6 newer marks",
    "\U00011938 dives akuru", "\U0001e000 \U0001e8d0 supplements", "\U00010330\U00012000\U00013000 ancient",
]

SYMBOLS = [
    "😀 😂🤣 👍", "👍🏽 👩🏿\u200d🚀", "👨\u200d👩\u200d👧\u200d👦 family", "🇩🇪🇫🇷🇯🇵 flags", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "1️⃣ #️⃣ *️⃣", "❤️ ❤ ♥ ☺️",
    "I❤️NY so much😀!", "word😀word 😀😀😀", "\U0001fae8 \U0001faf8 new \U0001f6dc", "🏳️\u200d🌈 🏳️\u200d⚧️", "∀x∈ℝ: ⌈x⌉ ≤ ∞ ∑∫√ ≠ ≈ ± × ÷", "𝐀𝐁 𝑥𝑦 𝒜 𝔄 𝔸 𝖠 𝙰 𝟎𝟙",
    "→ ← ↑ ↓ ⇒ ⇔ ↦ ⟶", "♔♕ ♠♣ ♪♫ ☀☁ ✓✗ ★☆", "█▓▒░ ┌─┐│└┘ ╔═╗", "⠃⠗⠇ 🀄 🂡 𝄞 🜁", "© ® ™ ℠ † ‡ • ‣ ◦", "\u2e3a\u2e3b \u2e43 \u2e55 \u2e5d supplemental punctuation",
    "\u3030 \u301c \ufe30 \ufe4f \uff3f vertical", "¡Hola! ¿Qué tal?", "؟ ، ؛ ٪ ۔ \u061d", "।॥ ፧ ၊ ៖ ᠀ ꓾ ꘍ ꡴", "\U00010100 \U0001039f \U00012470 \U00016a6e", "‰ ‱ ′ ″ ‴ ※ ‼ ⁇ ⁂ ⁊",
    "^ ` ~ | < > = + $ as ascii symbols", "´ ¨ ¯ ¸ ˆ ˜ ˘ spacing accents",
]

# Characters at the edges of the classes: each is put between letters, where it splits, vanishes or spoils the word.
EDGES = {
    "cjk": [0x33ff, 0x3400, 0x4dbf, 0x4dc0, 0x4dff, 0x4e00, 0x9fff, 0xa000, 0xf8ff, 0xf900, 0xfaff, 0xfb00, 0x1ffff, 0x20000,
            0x2a6df, 0x2a6e0, 0x2a6ff, 0x2a700, 0x2b73f, 0x2b740, 0x2b81f, 0x2b820, 0x2b91f, 0x2b920, 0x2ceaf, 0x2ceb0,
            0x2f7ff, 0x2f800, 0x2fa1f, 0x2fa20, 0x30000],
    "marks": [0x2ff, 0x300, 0x36f, 0x488, 0x7fd, 0x898, 0x8d4, 0x903, 0x1714, 0x1734, 0x1885, 0x1886, 0x1ab0, 0x1abf, 0x1df6,
              0x1dfe, 0x20d0, 0x20dd, 0x302a, 0x302e, 0x3099, 0xa66f, 0xa670, 0xa9bd, 0xfe00, 0xfe20, 0x111c9, 0x1e000, 0xe0100],
    "punctuation": [0x24, 0x2b, 0x3c, 0x3d, 0x3e, 0x5e, 0x60, 0x7c, 0x7e, 0xa1, 0xa2, 0xa7, 0xa8, 0xb6, 0xb7, 0x37e, 0x55a, 0x61d,
                    0x9fd, 0xdf4, 0x166d, 0x166e, 0x1b7d, 0x2010, 0x2044, 0x2052, 0x207d, 0x2e42, 0x2e43, 0x2e52, 0x2e55, 0x3003,
                    0xfe63, 0xff04, 0xff5e, 0xff5f, 0x10ead, 0x1e95e],
    "others": [0x00, 0x08, 0x09, 0x0b, 0x1f, 0x20, 0x7f, 0x85, 0x9f, 0xa0, 0xad, 0x378, 0x600, 0x61c, 0x890, 0x8e2, 0x180e, 0x2000,
               0x200b, 0x200f, 0x2028, 0x202a, 0x202f, 0x2060, 0x2065, 0x2066, 0xd7ff, 0xe000, 0xf8ff, 0xfdd0, 0xfeff, 0xfff8,
               0xfff9, 0xfffc, 0xfffd, 0xffff, 0x110bd, 0x110cd, 0x13430, 0x1bca0, 0xe0001, 0xe0020, 0xf0000, 0x10fffd, 0x10ffff],
    "case": [0x130, 0x131, 0x149, 0x178, 0x1c4, 0x1c5, 0x1f0, 0x23a, 0x243, 0x3a3, 0x3c2, 0x3f4, 0x1e9e, 0x1f88, 0x2126, 0x212a, 0x212b,
             0x2160, 0x24b6, 0x2c2f, 0xa7ae, 0xa7b2, 0xab70, 0xff21, 0x10400, 0x1e900],
}

SPECIALS = [
    "[CLS]", "[SEP]", "[PAD] [UNK] [MASK]", "paris is the [MASK] of france.", "no[SEP]space", "[sep] [Mask] [ MASK ]", "[[MASK]]", "[MA\u0000SK]", "[MASK", "MASK]",
    "[CLS] already framed [SEP]", "[MASK]\u0301 [UNK]s", "[[[[]]]]", "[unused0] [unused99]",
]


def long_lines():
    """Words round the limit of 100 characters and texts round both limits of tokens."""
    yield from ((letter * n, FULL) for letter in ("a", "é", "ж", "\U00010428") for n in (99, 100, 101))
    yield "e\u0301" * 100, FULL
    yield "e\u0301" * 101, FULL
    yield "x" * 5000 + " end", FULL
    yield "supercalifragilisticexpialidocious" * 2, FULL
    yield from (("word " * n, limit) for n, limit in ((509, FULL), (510, FULL), (511, FULL), (600, FULL), (126, SHORT),
                                                     (127, SHORT), (300, SHORT)))
    yield "." * 700, FULL
    yield "中" * 520, FULL
    yield "unbelievable tokenization " * 200, FULL
    yield "😀 " * 520, SHORT
    yield "[MASK]" * 600, FULL
    yield "short", 2
    yield "cut after one token", 3


INVALID = [
    b"\xff", b"\x80abc", b"abc\xc3", b"\xc3(", b"\xe2\x82", b"\xe2\x28\xa1", b"\xf0\x9f\x98", b"\xf0\x28\x8c\xbc", b"\xed\xa0\x80 surrogate",
    b"\xed\xa0\xbd\xed\xb8\x80 pair", b"\xc0\xaf overlong", b"\xe0\x80\xaf overlong", b"\xf8\x88\x80\x80\x80 five", b"\xf4\x90\x80\x80 too large",
    b"caf\xe9 latin-1", b"mid\xffdle", b"[MA\xffSK] [MASK]\xff", b"\xfe\xfe\xff\xff", b"ok \xe4\xb8 \xe4\xb8\xad",
]


def edge_lines():
    """Each group of EDGES in lines of eight words."""
    for group in EDGES.values():
        for i in range(0, len(group), 8):
            yield " ".join(f"a{chr(c)}b" for c in group[i:i + 8]), FULL


def random_lines(count):
    """Seeded mixtures of everything: letters of all ranges, marks, symbols and pieces of the lists above."""
    rng = random.Random(20)
    pieces = [word for group in (PLAIN, ACCENTS, EAST_ASIA, OTHER_SCRIPTS, SYMBOLS) for line in group for word in line.split()]
    ranges = [(0x21, 0x7f), (0xa1, 0x250), (0x300, 0x370), (0x370, 0x530), (0x2010, 0x2060), (0x3041, 0x3100), (0x4e00, 0xa000)]
    for _ in range(count):
        parts = []
        for _ in range(rng.randrange(3, 40)):
            if rng.random() < 0.5:
                parts.append(rng.choice(pieces))
            else:
                parts.append("".join(chr(rng.randrange(*rng.choice(ranges))) for _ in range(rng.randrange(1, 6))))
        yield rng.choice(["", " ", " "]).join(parts), FULL


def lines():
    """All (text or bytes, most tokens) pairs, in a fixed order."""
    for group in (PLAIN, WHITE_SPACE, CONTROL, ACCENTS, GREEK_CYRILLIC, EAST_ASIA, OTHER_SCRIPTS, SYMBOLS, SPECIALS):
        yield from ((text, FULL) for text in group)
    yield from edge_lines()
    yield from long_lines()
    yield from random_lines(60)
    yield from ((raw, FULL) for raw in INVALID)
