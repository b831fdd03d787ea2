"""RapidLayout's PP-Structure model of Chinese documents (CDLA classes): looks at the picture only; weights in the
wheel."""

from __future__ import annotations

import logging
from typing import Any

import layoutparser as lp
import numpy as np
from layoutparser.models.base_layoutmodel import BaseLayoutModel
from numpy.typing import NDArray


class RapidLayoutModel(BaseLayoutModel):
    """LayoutParser's shape around `rapid_layout.RapidLayout`."""

    DEPENDENCIES = ()  # LayoutParser only knows those of its own models
    DETECTOR_NAME = "rapidlayout"
    MODEL_CATALOG: dict[str, dict[str, str]] = {}  # noqa: RUF012  (the base class wants it so)

    def __init__(self) -> None:
        from rapid_layout import ModelType, RapidLayout, RapidLayoutInput

        threads = {"intra_op_num_threads": 1, "inter_op_num_threads": 1}
        before = logging.root.manager.disable
        logging.disable(logging.WARNING)  # its loggers set their own level, and tell at length what they load
        try:
            self._model = RapidLayout(RapidLayoutInput(model_type=ModelType.PP_LAYOUT_CDLA, engine_cfg=threads))
        finally:
            logging.disable(before)

    def detect(self, image: Any) -> Any:
        """The layout of a picture, in pixels."""
        found = self._model(self.image_loader(image))
        boxes = found.boxes if found.boxes is not None else ()
        return lp.Layout(
            [
                lp.TextBlock(lp.Rectangle(*map(float, box)), type=name, score=float(score))
                for box, name, score in zip(boxes, found.class_names or (), found.scores or (), strict=True)
            ]
        )

    def image_loader(self, image: Any) -> NDArray[np.uint8]:
        """A picture as the library wants it: an array [height, width, 3], blue first."""
        return np.ascontiguousarray(np.asarray(image)[:, :, ::-1])
