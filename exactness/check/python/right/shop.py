"""A shop with sessions and downloads."""

import os
import secrets

from flask import (
    Blueprint,
    Flask,
    abort,
    current_app,
    flash,
    g,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
    send_file,
    session,
    url_for,
)
from werkzeug.exceptions import HTTPException
from werkzeug.security import check_password_hash, generate_password_hash
from werkzeug.utils import secure_filename

bp = Blueprint("shop", __name__, url_prefix="/shop")
USERS = {"ada": generate_password_hash("secret")}


@bp.before_request
def load_user() -> None:
    g.user = session.get("user")


@bp.route("/login", methods=["GET", "POST"])
def login():
    if request.method == "POST":
        name = request.form.get("name", "")
        if name in USERS and check_password_hash(USERS[name], request.form["password"]):
            session.clear()
            session["user"] = name
            return redirect(url_for("shop.index"))
        flash("wrong name or password", "error")
    return render_template("login.html")


@bp.get("/")
def index():
    if request.args.get("format") == "json":
        return jsonify(user=g.user, count=len(USERS))
    response = make_response(render_template("index.html"), 200)
    response.headers["Cache-Control"] = "no-store"
    response.set_cookie("seen", "1", max_age=3600, httponly=True, samesite="Lax")
    return response


@bp.get("/invoice/<name>")
def invoice(name: str):
    path = os.path.join(current_app.instance_path, secure_filename(name))
    if not os.path.isfile(path):
        abort(404, description="no such invoice")
    return send_file(path, as_attachment=True, download_name="invoice.pdf", max_age=0)


def create_app(config: dict | None = None) -> Flask:
    app = Flask(__name__, instance_relative_config=True, static_url_path="/assets")
    app.config.from_mapping(SECRET_KEY=secrets.token_hex(16), MAX_CONTENT_LENGTH=1 << 20)
    app.config.update(config or {})
    app.register_blueprint(bp)

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException):
        return jsonify(error=error.name, description=error.description), error.code

    return app


if __name__ == "__main__":
    create_app().run(debug=True, port=5001)
