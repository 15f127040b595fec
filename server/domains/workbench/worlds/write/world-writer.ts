import type { Ctx } from '../../../../ctx.ts'
import { localCallsOf } from '../../../../local-calls.ts'
import { ACCESS, type World } from '../model/schema.ts'
import { LeftOut } from './left-out.ts'
import type { Yaml } from './yaml.ts'
import * as store from './store.ts'
import type { UserRow } from './store.ts'

/** The maximum length of a name in a world. */
const LONGEST_NAME = 255

/** Entries of a world as they are written: the same keys as in its schema. */
export type Entry<T> = { [K in keyof T]?: T[K] | undefined } & Record<string, Yaml | undefined>

export type Members = NonNullable<NonNullable<World['groups']>[number]['members']>

/** The state of writing an instance as a world: its people, and the records that are left out. */
export class WorldWriter {
  readonly ctx: Ctx
  readonly leftOut: LeftOut
  /** The people that the world can name, by id. */
  readonly people: ReadonlyMap<number, UserRow>
  /** Ids of the people that the world names. */
  readonly referencedUsers: Set<number>
  /** Default values of a project's columns. */
  readonly projectDefaults: ReadonlyMap<string, string | null>

  constructor(ctx: Ctx, of?: WorldWriter) {
    this.ctx = ctx
    this.leftOut = new LeftOut()
    this.people = of?.people ?? new Map(store.people(ctx.db).map((row) => [row.id, row]))
    this.referencedUsers = of?.referencedUsers ?? new Set()
    this.projectDefaults = of?.projectDefaults ?? store.projectDefaults(ctx.db)
  }

  /** Returns a scribe for a part that may become too large. It counts left-out records separately, in `left`. */
  part(): WorldWriter {
    return new WorldWriter(this.ctx, this)
  }

  /** The username of a person; undefined for bots and without a person. */
  name(id: number | null | undefined): string | undefined {
    const user = id === null || id === undefined ? undefined : this.people.get(id)
    if (user) this.referencedUsers.add(user.id)
    return user?.username
  }

  /** The usernames of people, sorted. */
  names(ids: readonly number[]): string[] | undefined {
    return list(ids.flatMap((id) => this.name(id) ?? []).sort())
  }

  /** The user who writes the world. They replace people who would no longer have permission for what they did. */
  get writer(): string | undefined {
    return this.name(this.ctx.actor.id)
  }

  /** Whether a world can contain a name. Counts names that it cannot contain. */
  isName(text: string, kind: string, where: string): boolean {
    if (text !== '' && text.length <= LONGEST_NAME) return true
    this.leftOut.add(`${kind} with names that are empty or longer than ${LONGEST_NAME} characters`, where)
    return false
  }

  call<Answer>(route: string, input: Readonly<Record<string, unknown>>): Promise<Answer> {
    return localCallsOf(this.ctx.db).call<Answer>(this.ctx, route, input)
  }

  /** Every row of a list. */
  async all<Row>(route: string, input: Readonly<Record<string, unknown>>): Promise<Row[]> {
    const rows: Row[] = []
    for (let page = 1; ; page++) {
      const match = await this.call<Row[]>(route, { ...input, per_page: 100, page })
      rows.push(...match)
      if (match.length < 100) return rows
    }
  }
}

/** Undefined for an empty list. */
export function list<T>(values: readonly T[]): T[] | undefined {
  return values.length === 0 ? undefined : [...values]
}

/** Undefined for an empty text. */
export function text(value: string | null | undefined): string | undefined {
  return value ? value : undefined
}

/** A time without the milliseconds, where they are zero. */
export function time(value: string | null | undefined): string | undefined {
  if (!value) return undefined
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return undefined
  const iso = date.toISOString()
  return /^\d{4}-/.test(iso) ? iso.replace('.000Z', 'Z') : undefined
}

const LEVELS = [5, 10, 20, 30, 40, 50] as const

/** The name of an access level in a world. */
export function accessOf(level: number): (typeof ACCESS)[number] | undefined {
  const index = LEVELS.indexOf(level as 5)
  return index < 0 ? undefined : ACCESS[index]
}

export function levelOf(word: (typeof ACCESS)[number] | undefined): number {
  return word === undefined ? 0 : LEVELS[ACCESS.indexOf(word)]!
}
