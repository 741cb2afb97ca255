# invented: ModelField; right: FieldInfo
from typing import Any

from pydantic import BaseModel
from pydantic.fields import ModelField


class Base(BaseModel):
    @classmethod
    def describe(cls) -> dict[str, Any]:
        fields: dict[str, ModelField] = cls.model_fields
        return {name: field.annotation for name, field in fields.items()}
