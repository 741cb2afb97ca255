# invented: get_json; right: json
import requests

session = requests.Session()
session.headers["User-Agent"] = "stars/1.0"


def stars(repository: str) -> int:
    response = session.get(f"https://example.com/repos/{repository}", timeout=10)
    if response.status_code == 404:
        return 0
    return response.get_json()["stars"]
