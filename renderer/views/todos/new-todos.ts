import type { Todo } from '../../api/schema.gen.ts'

/** Limits the number of simultaneous notifications. */
export const TOLD_AT_ONCE = 3

/** Items that came after the newest known one, the oldest first; without a known one nothing is news. */
export const newTodos = (todos: readonly Todo[], newest: number | null): Todo[] =>
  newest === null
    ? []
    : todos
        .filter((todo) => todo.id > newest)
        .slice(0, TOLD_AT_ONCE)
        .toReversed()
