# invented: default_factory; right: factory
from datetime import datetime

from attrs import asdict, define, field


@define
class Order:
    number: int
    items: list[str] = field(default_factory=list)
    created: datetime = field(factory=datetime.now)


print(asdict(Order(1)))
