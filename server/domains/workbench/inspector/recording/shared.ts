import type { ObservedHeaders } from '../../../../observer.ts'
import type { Actor } from '../../../../policy/actor.ts'
import { append, NONE, type FlatHeaders, type RecordedActor } from './record.ts'

// Most requests of a client have the same headers and the same actor, and most answers of an endpoint differ in few headers.
// Records share what is equal, because every object that outlives its request costs more than the request's own work on it.

/** The number of earlier lists that the headers of a request are compared with. */
const MAX_LISTS = 4
/** The maximum number of headers in which an answer may differ from the shared ones. */
const MAX_CHANGES = 8

/** The headers of an answer: shared ones, and the changes of this answer. */
export interface AnswerHeaders {
  readonly shared: SharedHeaders
  /** Positions and values alternating. */
  readonly changes: readonly unknown[]
}

/** The headers of one answer, which later answers of the same endpoint are compared with. */
class SharedHeaders {
  readonly #names: readonly string[]
  readonly #values: readonly unknown[]
  /** For each header, the text before and after the request ID in its value; null for a value without it. */
  readonly #parts: readonly (readonly [string, string] | null)[]

  constructor(names: readonly string[], answer: ObservedHeaders, id: string) {
    this.#names = names
    this.#values = names.map((name) => answer.getHeader(name))
    this.#parts = this.#values.map((value) => {
      const [before, after, more] = String(value).split(id)
      return before === undefined || after === undefined || more !== undefined ? null : [before, after]
    })
  }

  /** The changes of another answer with the same names; undefined if it differs too much. */
  changesOf(names: readonly string[], answer: ObservedHeaders, id: string): readonly unknown[] | undefined {
    if (names.length !== this.#names.length) return undefined
    let changes: readonly unknown[] = NONE
    for (let index = 0; index < names.length; index++) {
      if (names[index] !== this.#names[index]) return undefined
      const value = answer.getHeader(names[index]!)
      if (this.#isSame(index, value, id)) continue
      if (changes.length === 2 * MAX_CHANGES) return undefined
      changes = append(append(changes, index), value)
    }
    return changes
  }

  /** True if a value is the shared one, with the ID of its own request in place of the other ID. */
  #isSame(index: number, value: unknown, id: string): boolean {
    const parts = this.#parts[index]
    if (!parts) return value === this.#values[index]
    if (typeof value !== 'string') return false
    const [before, after] = parts
    return (
      value.length === before.length + id.length + after.length &&
      value.startsWith(before) &&
      value.startsWith(id, before.length) &&
      value.endsWith(after)
    )
  }

  /** The headers of the answer to the request with this ID. */
  flat(changes: readonly unknown[], id: string): string[] {
    const values = this.#values.map((value, index) => {
      const parts = this.#parts[index]
      return parts ? parts.join(id) : value
    })
    for (let index = 0; index < changes.length; index += 2)
      values[changes[index] as number] = changes[index + 1]
    return this.#names.flatMap((name, index) => [name, String(values[index])])
  }
}

/** The headers and actors that records share. */
export class Shared {
  #lists: FlatHeaders[] = []
  readonly #answers = new Map<object | null, SharedHeaders>()
  #actor: RecordedActor | undefined

  /** An equal list of an earlier request, or the list itself. */
  requestHeaders(list: FlatHeaders): FlatHeaders {
    for (const earlier of this.#lists) if (isEqual(earlier, list)) return earlier
    this.#lists = [list, ...this.#lists.slice(0, MAX_LISTS - 1)]
    return list
  }

  /** The headers of an answer, compared with earlier answers of the same endpoint. */
  answerHeaders(endpoint: object | null, answer: ObservedHeaders, id: string): AnswerHeaders {
    const names = answer.getHeaderNames()
    const earlier = this.#answers.get(endpoint)
    const changes = earlier?.changesOf(names, answer, id)
    if (earlier && changes) return { shared: earlier, changes }
    const shared = new SharedHeaders(names, answer, id)
    this.#answers.set(endpoint, shared)
    return { shared, changes: NONE }
  }

  /** Forgets all headers and actors, because they may contain tokens. Records keep what they share. */
  clear(): void {
    this.#lists = []
    this.#answers.clear()
    this.#actor = undefined
  }

  actor(actor: Actor): RecordedActor {
    const via = 'via' in actor ? actor.via : null
    const token_id = ('token_id' in actor ? actor.token_id : undefined) ?? null
    const sudo_by = (actor.kind === 'user' ? actor.sudo_by : undefined) ?? null
    const last = this.#actor
    if (
      last !== undefined &&
      last.id === actor.id &&
      last.kind === actor.kind &&
      last.via === via &&
      last.token_id === token_id &&
      last.sudo_by === sudo_by
    )
      return last
    const username = actor.kind === 'user' ? actor.username : null
    return (this.#actor = { kind: actor.kind, id: actor.id, username, token_id, sudo_by, via })
  }
}

function isEqual(left: FlatHeaders, right: FlatHeaders): boolean {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++) if (left[index] !== right[index]) return false
  return true
}
