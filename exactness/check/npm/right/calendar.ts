import {
  addBusinessDays,
  addMonths,
  differenceInCalendarDays,
  eachDayOfInterval,
  endOfMonth,
  endOfWeek,
  format,
  formatDistanceToNow,
  formatISO,
  isBefore,
  isSameMonth,
  isValid,
  isWeekend,
  parse,
  parseISO,
  startOfMonth,
  startOfWeek,
} from "date-fns";
import { de, enUS } from "date-fns/locale";
import * as fp from "date-fns/fp";

export interface Day {
  date: Date;
  label: string;
  inMonth: boolean;
  isFree: boolean;
}

export function month(of: Date, german = false): Day[] {
  const locale = german ? de : enUS;
  const first = startOfWeek(startOfMonth(of), { locale });
  const last = endOfWeek(endOfMonth(of), { locale });
  return eachDayOfInterval({ start: first, end: last }).map((date) => ({
    date,
    label: format(date, "EEEEEE d", { locale }),
    inMonth: isSameMonth(date, of),
    isFree: isWeekend(date),
  }));
}

export function due(text: string): string {
  const iso = parseISO(text);
  const date = isValid(iso) ? iso : parse(text, "dd.MM.yyyy", new Date());
  if (isBefore(date, new Date())) {
    return formatDistanceToNow(date, { addSuffix: true, includeSeconds: true });
  }
  return `in ${differenceInCalendarDays(date, new Date())} days`;
}

export const nextInvoice = (from: Date): string =>
  formatISO(addBusinessDays(addMonths(from, 1), 2), { representation: "date" });

export const labels = ["2026-01-01", "2026-02-01"].map((text) => fp.format("MMM", parseISO(text)));
