import {
  BehaviorSubject,
  Observable,
  Subject,
  catchError,
  combineLatest,
  concat,
  debounceTime,
  distinctUntilChanged,
  filter,
  firstValueFrom,
  from,
  fromEvent,
  interval,
  map,
  merge,
  of,
  retry,
  scan,
  shareReplay,
  startWith,
  switchMap,
  takeUntil,
  tap,
  throwError,
  timer,
} from "rxjs";
import { ajax } from "rxjs/ajax";
import { webSocket } from "rxjs/webSocket";
import { TestScheduler } from "rxjs/testing";

interface Hit {
  id: number;
  title: string;
}

const destroyed = new Subject<void>();
const language = new BehaviorSubject("en");

export function search(words: Observable<string>): Observable<Hit[]> {
  return combineLatest([words, language]).pipe(
    map(([text, lang]) => ({ text: text.trim(), lang })),
    filter(({ text }) => text.length > 2),
    debounceTime(250),
    distinctUntilChanged((one, other) => one.text === other.text && one.lang === other.lang),
    switchMap(({ text, lang }) =>
      ajax.getJSON<Hit[]>(`/search?q=${encodeURIComponent(text)}&lang=${lang}`).pipe(
        retry({ count: 2, delay: (_error, attempt) => timer(attempt * 500) }),
        catchError(() => of([])),
      ),
    ),
    takeUntil(destroyed),
    shareReplay({ bufferSize: 1, refCount: true }),
  );
}

const socket = webSocket<{ count: number }>("wss://example.com/live");

export const totals = merge(socket, concat(of({ count: 1 }), from([{ count: 2 }]))).pipe(
  map(({ count }) => count),
  scan((sum, count) => sum + count, 0),
  startWith(0),
  tap({ error: (error: unknown) => console.error(error) }),
);

export async function first(): Promise<number> {
  return firstValueFrom(interval(1000).pipe(switchMap((n) => (n > 3 ? throwError(() => new Error("late")) : of(n)))));
}

export function keys(target: HTMLElement): Observable<string> {
  return fromEvent<KeyboardEvent>(target, "keydown").pipe(map((event) => event.key));
}

export const scheduler = new TestScheduler((actual, expected) => console.assert(actual === expected));
language.next("de");
language.complete();
destroyed.unsubscribe();
