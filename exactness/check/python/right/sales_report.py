"""Sums up sales by month."""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from dateutil import parser as dateparser
from dateutil.relativedelta import relativedelta
from dateutil.rrule import MONTHLY, rrule


def load(folder: Path) -> pd.DataFrame:
    frames = [
        pd.read_csv(path, parse_dates=["date"], dtype={"customer": "string"}, usecols=["date", "customer", "amount"])
        for path in sorted(folder.glob("*.csv"))
    ]
    if not frames:
        return pd.DataFrame({"date": [], "customer": [], "amount": []})
    data = pd.concat(frames, ignore_index=True)
    data["amount"] = pd.to_numeric(data["amount"], errors="coerce").fillna(0.0)
    return data.drop_duplicates(subset=["date", "customer"]).sort_values("date")


def monthly(data: pd.DataFrame) -> pd.DataFrame:
    grouped = data.groupby(pd.Grouper(key="date", freq="MS"))["amount"].agg(["sum", "mean", "count"])
    grouped["share"] = np.where(grouped["sum"] > 0, grouped["sum"] / grouped["sum"].sum(), np.nan)
    grouped["trend"] = grouped["sum"].rolling(3, min_periods=1).mean()
    return grouped.reset_index().rename(columns={"sum": "total"})


def outliers(values: np.ndarray, factor: float = 1.5) -> np.ndarray:
    low, high = np.percentile(values, [25, 75])
    spread = (high - low) * factor
    mask = (values < low - spread) | (values > high + spread)
    return np.flatnonzero(mask)


def months(start: str, count: int) -> list[str]:
    first = dateparser.parse(start, dayfirst=True)
    until = first + relativedelta(months=count, day=1)
    return [day.strftime("%Y-%m") for day in rrule(MONTHLY, dtstart=first, until=until)]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--out", type=Path, default=Path("report.csv"))
    options = arguments.parse_args()
    data = load(options.folder)
    report = monthly(data)
    rng = np.random.default_rng(seed=7)
    sample = rng.choice(data["amount"].to_numpy(), size=min(100, len(data)), replace=False)
    print(outliers(sample), np.linalg.norm(sample), np.round(np.std(sample), 2))
    report.to_csv(options.out, index=False, float_format="%.2f")
    print(pd.pivot_table(data, index="customer", values="amount", aggfunc="sum").head(), months("01.02.2026", 3))


if __name__ == "__main__":
    main()
