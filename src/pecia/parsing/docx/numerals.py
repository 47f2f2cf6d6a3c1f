"""Numbers in the formats of WordprocessingML (ECMA-376 part 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
    (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
LATIN = "abcdefghijklmnopqrstuvwxyz"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_CYCLES = 30  # Word repeats a letter up to 30 times (780 = zz…z) and then begins again; a larger number stays a number
_RAISED = str.maketrans(
    "0123456789abcdefghijklmnoprstuvwxyz()",
    "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁽⁾",
)


def raised(mark: str) -> str:
    """The mark of a note as it stands in the line: above it, where Unicode has such a sign."""
    return mark.translate(_RAISED)


def roman(value: int) -> str:
    if not 0 < value < 4000:
        return str(value)
    made = ""
    for size, sign in _ROMAN:
        made += sign * (value // size)
        value %= size
    return made


def _repeated(alphabet: str) -> Callable[[int], str]:
    """a, b … z, aa, bb: Word repeats the letter, it does not count on to ab."""

    def shown(value: int) -> str:
        if not 0 < value <= len(alphabet) * _CYCLES:
            return str(value)
        return alphabet[(value - 1) % len(alphabet)] * ((value - 1) // len(alphabet) + 1)

    return shown


def _listed(signs: str) -> Callable[[int], str]:
    return lambda value: signs[value - 1] if 0 < value <= len(signs) else str(value)


def _counted(digits: str, units: str, *, bare_ten: bool) -> Callable[[int], str]:
    """Han counting: digits 0 to 9, units of ten, hundred and thousand; `bare_ten`: 10 is 十, not 一十."""

    def shown(value: int) -> str:
        if not 0 < value < 10_000:
            return str(value)
        made, gap = "", False
        for power in (3, 2, 1, 0):
            digit = value // 10**power % 10
            if not digit:
                gap = bool(made)
                continue
            made += digits[0] if gap else ""
            made += ("" if bare_ten and power == 1 and digit == 1 and not made else digits[digit]) + ("", *units)[power]
            gap = False
        return made

    return shown


def _digitwise(digits: str) -> Callable[[int], str]:
    return lambda value: "".join(digits[int(sign)] if sign.isdigit() else sign for sign in str(value))


def _ordinal(value: int) -> str:
    end = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{end}"


_HAN = "〇一二三四五六七八九"
_COUNTING = _counted("零一二三四五六七八九", "十百千", bare_ten=True)
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_FORMATS: Mapping[str, Callable[[int], str]] = {
    "none": lambda value: "",
    "decimalZero": lambda value: f"{value:02d}",
    "lowerRoman": roman,
    "upperRoman": lambda value: roman(value).upper(),
    "lowerLetter": _repeated(LATIN),
    "upperLetter": _repeated(LATIN.upper()),
    "russianLower": _repeated(_RUSSIAN),
    "russianUpper": _repeated(_RUSSIAN.upper()),
    "ordinal": _ordinal,
    "hex": lambda value: f"{value:X}",
    "numberInDash": lambda value: f"- {value} -",
    "decimalFullWidth": _digitwise("０１２３４５６７８９"),
    "decimalFullWidth2": _digitwise("０１２３４５６７８９"),
    "decimalEnclosedCircle": _listed("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"),
    "decimalEnclosedCircleChinese": _listed("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"),
    "decimalEnclosedParen": _listed("⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇"),
    "decimalEnclosedFullstop": _listed("⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛"),
    "ideographEnclosedCircle": _listed("㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉"),
    "ideographTraditional": _listed(_STEMS),
    "ideographZodiac": _listed(_BRANCHES),
    "ideographDigital": _digitwise(_HAN),
    "japaneseDigitalTenThousand": _digitwise(_HAN),
    "taiwaneseDigital": _digitwise("○一二三四五六七八九"),
    "chineseCounting": _COUNTING,
    "chineseCountingThousand": _COUNTING,
    "taiwaneseCounting": _COUNTING,
    "taiwaneseCountingThousand": _COUNTING,
    "japaneseCounting": _COUNTING,
    "chineseLegalSimplified": _counted("零壹贰叁肆伍陆柒捌玖", "拾佰仟", bare_ten=False),
    "ideographLegalTraditional": _counted("零壹貳參肆伍陸柒捌玖", "拾佰仟", bare_ten=False),
    "aiueo": _repeated("アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"),
    "aiueoFullWidth": _repeated("アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"),
    "iroha": _repeated("イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス"),
    "ganada": _repeated("가나다라마바사아자차카타파하"),
    "chosung": _repeated("ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ"),
}


def shown(value: int, number_format: str) -> str:
    """The number as Word writes it; in a format that is not known here, in digits."""
    return _FORMATS.get(number_format, str)(value)
