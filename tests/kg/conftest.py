import pytest

from h3cold.kg.benchmark_edges import block
from h3cold.kg.extract import extract
from h3cold.kg.graph import build
from h3cold.kg.linking import link, same_as
from h3cold.schemas.document import DocumentInfo

ENGLISH = (
    "Acme Robotics, Inc. (“Acme” or the “Company”), a Delaware corporation, acquired Beta Sensors Ltd. for $12 million "
    "on March 3, 2022. Jane Q. Smith is the Chief Executive Officer of Acme. In 2023 the SEC fined Acme $3 million. "
    "The Company owns 51% of Gamma Labs LLC. The Company may acquire Delta Corp. next year. "
    "Acme did not acquire Omega Inc. Ms. Smith joined IBM in 1999. "
    "Gamma Labs LLC, a subsidiary of Acme, is based in Austin, Texas. We are regulated by the Federal Reserve Board."
)
CHINESE = (
    "华夏科技股份有限公司（以下简称“华夏科技”或“本公司”）董事长张伟先生表示，公司持有北京星辰软件有限公司51%的股权。"
    "2023年5月，中国证监会对华夏科技处以300万元罚款。本公司拟收购蓝天股份有限公司。王芳女士担任北京星辰软件有限公司总经理。"
    "腾讯控股有限公司（Tencent Holdings Limited）于2021年收购了深圳市小米软件有限公司。"
)


class Reading:
    """Extraction of some texts as one document, with names to ask by."""

    def __init__(self, *texts, document="a" * 32, language="en", company="", title=""):
        blocks = [t if not isinstance(t, str) else block(t, i, document, language) for i, t in enumerate(texts)]
        self.blocks = {b.id: b for b in blocks}
        self.mentions, self.relations = extract(
            blocks, info=DocumentInfo(company=company, title=title, language=language)
        )

    def edges(self):
        merged = same_as(self.mentions, self.relations)
        names = {e.id: e.name for e in link(self.mentions, self.relations)}
        return {
            (names[merged.get(r.head, r.head)], r.type, names[merged.get(r.tail, r.tail)]): (r.value, r.period)
            for r in self.relations
        }

    def graph(self):
        entities = link(self.mentions, self.relations)
        return entities, build(entities, self.mentions, self.relations)


@pytest.fixture(scope="session")
def english():
    return Reading(ENGLISH)


@pytest.fixture(scope="session")
def chinese():
    return Reading(CHINESE, document="b" * 32, language="zh")


@pytest.fixture(scope="session")
def reading():
    return Reading
