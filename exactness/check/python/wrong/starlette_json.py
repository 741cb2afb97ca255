# invented: JsonResponse; right: JSONResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JsonResponse, PlainTextResponse
from starlette.routing import Route


async def health(request: Request) -> JsonResponse:
    return JsonResponse({"ok": True, "path": request.url.path})


async def home(request: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


app = Starlette(routes=[Route("/", home), Route("/health", health)])
