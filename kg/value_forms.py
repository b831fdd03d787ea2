"""The patterns of money, shares, dates, laws, cases and contracts: type, weight, expression."""
# ruff: noqa: E501  (a pattern is read as one piece, however long)

from __future__ import annotations

from h3cold.kg.periods import PERIODS
from h3cold.schemas.graph import EntityType

_NUM = r"\d[\d,]{0,24}(?:\.\d{1,8})?"
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan\.?|Feb\.?|Mar\.?|Apr\.?|Jun\.?|Jul\.?|Aug\.?|Sept?\.?|Oct\.?|Nov\.?|Dec\.?)"
)
_CN = "零〇一二三四五六七八九十百两"
_WORD = r"[A-Z][\w&'’.-]{0,30}"
_JOIN = r"(?:of|and|the|for|in|on|to)"

PATTERNS: tuple[tuple[EntityType, float, str], ...] = (
    # money
    ("MONEY", 0.9, r"(?:US\$|U\.S\.\$|HK\$|NT\$|A\$|C\$|S\$|RMB|CNY|USD|EUR|GBP|HKD|JPY|[$€£¥￥])\s?" + _NUM
     + r"(?:\s{0,3}(?:thousand|million|billion|trillion|bn|mn)\b|[万亿])?"),
    ("MONEY", 0.9, r"(?<![\d.,])" + _NUM + r"\s?(?:(?:thousand|million|billion|trillion)\s)?(?:U\.?S\.? dollars|dollars"
     r"|euros|pounds sterling|yen|yuan|renminbi|RMB)\b"),
    ("MONEY", 0.9, r"(?:人民币|港币|美金)?\s?(?<![\d.,])" + _NUM + r"\s?(?:百万|千万|万亿|[十百千万亿])?"
     r"(?:元人民币|人民币元|美元|港元|欧元|英镑|日元|港币|澳元|新台币|元)"),
    ("MONEY", 0.9, r"人民币[" + _CN + r"壹贰叁肆伍陆柒捌玖拾佰仟万亿]{1,20}[元圆]整?"),
    # shares
    ("PERCENT", 0.9, r"(?<![\d.,])" + _NUM + r"\s?(?:%|％|percent\b|per cent\b|percentage points?\b|basis points?\b|个百分点)"),
    ("PERCENT", 0.9, "百分之[" + _CN + r"点\d.]{1,10}"),
    # dates and periods
    *(("DATE", 1.05, pattern) for pattern in PERIODS),
    ("DATE", 0.95, r"\b" + _MONTH + r"\s{1,2}\d{1,2}(?:st|nd|rd|th)?(?:,?\s{1,2}(?:18|19|20)\d\d)?\b"),
    ("DATE", 0.95, r"\b\d{1,2}(?:st|nd|rd|th)?\s" + _MONTH + r",?\s(?:18|19|20)\d\d\b"),
    ("DATE", 0.9, r"\b" + _MONTH + r",?\s(?:18|19|20)\d\d\b"),
    ("DATE", 0.95, r"\b(?:(?:first|second|third|fourth)\s(?:fiscal\s)?quarter\sof\s(?:fiscal\s(?:year\s)?)?"
     r"|Q[1-4]\s|fiscal(?:\syear)?\s|FY\s?)(?:19|20)\d\d\b"),
    ("DATE", 0.95, r"\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01])\b"),
    ("DATE", 0.6, r"(?<![\d.,$-])(?:19|20)\d\d(?![\d.,]\d|[\d%-])(?=\s|[,.;:)]|$)"),
    ("DATE", 0.95, r"(?<!\d)(?:19|20)\d\d\s?年(?:度|末|底|初|上半年|下半年|前三季度|第?[一二三四1-4]季度"
     r"|\s?\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号]|份|末|底)?)?"),
    ("DATE", 0.9, r"[二][〇○零一二三四五六七八九]{3}年(?:[一二三四五六七八九十]{1,2}月(?:[一二三四五六七八九十]{1,3}日)?|度)?"),
    # laws
    ("LAW", 1.2, r"《[^《》\n]{1,60}(?:法|条例|规定|办法|准则|通知|决定|规则|细则|解释|指引|法典|章程|制度|通则|规程|标准|规范|要求|意见)"
     r"(?:[（(][^《》\n]{1,30}[)）])?》(?:第[" + _CN + r"\d]{1,6}条(?:之[一二三四五六七八九])?(?:第[" + _CN + r"\d]{1,4}款)?)?"),
    ("LAW", 0.8, r"(?<![》A-Za-z\d])第[" + _CN + r"\d]{1,6}条(?!生产线|产线|高速|铁路|地铁|航线|路|线|街|道|河|船|微博|消息)(?:第[" + _CN + r"\d]{1,4}款)?"),
    ("LAW", 1.1, r"\b" + _WORD + r"(?:[\s,-]{1,2}(?:" + _WORD + "|" + _JOIN + r")){0,9}\sAct(?:\s\([A-Z]{2,8}\))?(?:\sof\s(?:18|19|20)\d\d)?\b"),
    ("LAW", 1.15, r"\b(?:Section|Sections|Rule|Rules|Article|§)\s\d{1,4}[A-Za-z]{0,2}(?:-\d{1,3})?(?:\([\da-zA-Z]{1,4}\)){0,5}"
     r"(?:\s(?:of|under)\sthe\s" + _WORD + r"(?:\s(?:" + _WORD + "|" + _JOIN + r")){0,8}\s(?:Act|Code)(?:\sof\s(?:18|19|20)\d\d)?)?"),
    ("LAW", 1.1, r"\bRegulations?\s(?:S-K|S-X|FD|[A-Z]{1,3})\b"),
    ("LAW", 1.1, r"\b\d{1,3}\s(?:U\.S\.C\.|C\.F\.R\.|USC|CFR)\s(?:§{1,2}\s?|Part\s)?\d{1,5}[a-z]{0,2}(?:\.\d{1,5})?(?:\([\da-z]{1,3}\)){0,4}"),
    ("LAW", 1.1, r"\b(?:ASU|ASC|IFRS|IAS|SFAS|FAS|SAB|FIN)\s(?:Topic\s)?(?:No\.\s)?\d{1,4}(?:-\d{1,3}){0,3}(?:\([A-Z]\))?"),
    ("LAW", 1.1, r"\bAccounting Standards (?:Update|Codification)(?:\sTopic)?(?:\s(?:No\.\s)?\d{1,4}(?:-\d{1,3}){0,3})?"),
    # cases
    ("CASE", 1.2, r"[（(〔\[]\s?(?:19|20)\d\d\s?[)）〕\]][\u4e00-\u9fff]{1,4}\d{0,6}[\u4e00-\u9fff]{1,6}\d{0,4}[\u4e00-\u9fff]{0,2}第?\d{1,6}(?:-\d{1,3})?号"),
    ("CASE", 1.1, r"\b(?:Case |Civil Action |Docket |File )?No\.\s?\d{1,2}[:-][\w-]{4,30}"),
    ("CASE", 0.54, r"\b" + _WORD + r"(?:\s(?:" + _WORD + r"|of|and|&)){0,6},?\sv(?:s)?\.\s" + _WORD + r"(?:\s(?:" + _WORD + r"|of|and|&)){0,6}"),
    # contracts
    ("CONTRACT", 1.2, r"《[^《》\n]{1,60}(?:合同|协议|协议书|备忘录|意向书|契约|合同书|担保函|保函)》"),
    ("CONTRACT", 1.0, r"\b(?:" + _WORD + r"\s(?:and\s|of\s)?){1,7}(?:Agreement|Indenture|Contract)(?=\W)"),
    ("CONTRACT", 1.0, r"\b(?:" + _WORD + r"\s(?:and\s|of\s)?){1,6}(?:Memorandum of Understanding|Plan of Merger|Letter of Intent|Term Sheet)\b"),
    ("CONTRACT", 1.1, r"\b(?:Contract|Agreement|Purchase Order|Order)\s(?:No\.|Number|#)\s?:?\s?(?P<v>(?=[A-Z0-9/-]{0,24}\d)[A-Z0-9][A-Z0-9/-]{3,24})\b"),
    ("CONTRACT", 1.1, r"(?:合同|协议|订单)(?:编号|号码|号)\s?[:：为]\s?(?P<v>[A-Za-z0-9][A-Za-z0-9()（）〔〕\[\]/_-]{4,30})"),
    # numbers of cases and decisions
    ("CASE", 1.1, r"\b(?:Case|Docket|Civil Action|C\.A\.|Index)\s(?:No\.\s?)?(?P<v>\d[\w:./-]{3,30}\w)"),
    ("CASE", 1.1, r"\b\d:\d\d-(?:cv|cr|mc|bk|md|ap)-\d{3,6}(?:-[A-Z]{2,4})?\b"),
    ("CASE", 1.15, r"[\u4e00-\u9fff]{1,10}(?:罚|处|裁|判|诉|执|监|警示|责改)[\u4e00-\u9fff]{0,4}[〔\[（(](?:19|20)\d\d[〕\]）)]第?\d{1,6}号"),
    ("LAW", 1.1, r"[\u4e00-\u9fff]{2,6}(?:发|办|函|规|会|令|字|公告)?[〔\[](?:19|20)\d\d[〕\]]第?\d{1,5}号"),
    # numbers that registers give
    ("REGISTRATION", 1.2, r"(?:统一社会信用代码|组织机构代码|纳税人识别号|(?:营业执照)?注册号|工商登记号|登记证号|备案号|许可证(?:编号|号)|证书(?:编号|号)|专利号)(?:证)?\s?[:：为]?\s?(?P<v>[0-9A-Z][0-9A-Z.-]{5,24})(?![0-9A-Z])"),
    ("REGISTRATION", 1.2, r"国药准字\s?[A-Z]\d{8}|(?<![A-Z])ZL\s?\d{4}\s?[123]\s?\d{7}\.[\dX]"),
    ("REGISTRATION", 1.2, r"(?i:commission file (?:number|no\.?)|employer identification (?:number|no\.?)|registration (?:statement )?(?:number|no\.?)"
     r"|(?:company|registered|registration|charter|licen[cs]e|file|CIK|CRD|VAT|tax|UEN) (?:number|no\.)|\bCIK\b|\bLEI\b|\bEIN\b)\s?[:#]?\s?(?P<v>(?:[A-Z]{0,3}[- ]?)?\d[\dA-Z-]{4,22}\d)(?![\dA-Z])"),
    ("REGISTRATION", 1.2, r"\b(?:U\.S\. )?(?:Patents?|Pat\.) (?:Nos?\. )?(?P<v>\d{1,2},\d{3},\d{3})\b"),
    # goods that a sign or a word marks
    ("PRODUCT", 0.8, r"\b(?P<v>[A-Z][\w-]{1,20}(?:\s[A-Z0-9][\w-]{0,20}){0,3})\s?[®™]"),
    ("PRODUCT", 0.8, r"[“「](?P<v>[^“”「」，。\n]{2,14})[”」](?=牌|系列|产品|品牌|APP|软件|平台|系统|药品|车型|机型)"),
)  # fmt: skip
