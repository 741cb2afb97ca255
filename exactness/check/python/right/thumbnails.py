"""Makes small pictures, with a caption."""

import hashlib
import io
import subprocess
import tempfile
from pathlib import Path

from PIL import ExifTags, Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps, UnidentifiedImageError


def thumbnail(source: Path, size: tuple[int, int] = (320, 240)) -> bytes:
    with Image.open(source) as image:
        picture = ImageOps.exif_transpose(image)
        picture = picture.convert("RGB")
        picture.thumbnail(size, Image.Resampling.LANCZOS)
        canvas = Image.new("RGB", size, color="white")
        left = (size[0] - picture.width) // 2
        canvas.paste(picture, (left, (size[1] - picture.height) // 2))
    out = io.BytesIO()
    canvas.save(out, format="JPEG", quality=85, optimize=True)
    return out.getvalue()


def caption(image: Image.Image, words: str) -> Image.Image:
    draw = ImageDraw.Draw(image, "RGBA")
    font = ImageFont.load_default(size=18)
    box = draw.textbbox((0, 0), words, font=font)
    draw.rectangle((0, image.height - box[3] - 8, image.width, image.height), fill=(0, 0, 0, 160))
    draw.text((6, image.height - box[3] - 4), words, font=font, fill="white")
    return image


def prettier(image: Image.Image) -> Image.Image:
    image = ImageEnhance.Contrast(image).enhance(1.15)
    image = image.filter(ImageFilter.UnsharpMask(radius=2, percent=120))
    return ImageOps.fit(image, (200, 200), method=Image.Resampling.BICUBIC, centering=(0.5, 0.4))


def taken(source: Path) -> str | None:
    try:
        with Image.open(source) as image:
            exif = image.getexif()
    except UnidentifiedImageError:
        return None
    return exif.get(ExifTags.Base.DateTime)


def main(folder: Path) -> None:
    target = Path(tempfile.mkdtemp(prefix="thumbs-"))
    for source in folder.rglob("*.jpg"):
        name = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
        (target / f"{name}.jpg").write_bytes(thumbnail(source))
        print(source.name, taken(source))
    subprocess.run(["ls", "-l", str(target)], check=True, capture_output=False)


if __name__ == "__main__":
    main(Path.cwd())
