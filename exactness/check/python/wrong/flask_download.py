# invented: attachment_filename; right: download_name
from io import BytesIO

from flask import Flask, send_file

app = Flask(__name__)


@app.route("/report")
def report():
    data = BytesIO(b"a,b\n1,2\n")
    return send_file(data, mimetype="text/csv", as_attachment=True, attachment_filename="report.csv")
