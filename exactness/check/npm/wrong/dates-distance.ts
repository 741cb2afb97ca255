// invented: formatDistanceFromNow; right: formatDistanceToNow
import { formatDistanceFromNow, isToday, parseISO } from "date-fns";

export function age(iso: string): string {
  const date = parseISO(iso);
  if (isToday(date)) {
    return "today";
  }
  return formatDistanceFromNow(date, { addSuffix: true });
}
