import type { Ctx } from '../../../../ctx.ts'
import { localCallsOf } from '../../../../local-calls.ts'
import { ACCESS, type World } from '../model/schema.ts'
import { Omissions } from './omissions.ts'
import type { Yaml } from './yaml.ts'
import * as store from './store.ts'
import type { UserRow } from './store.ts'

/** The maximum length of a name in a world. */
const MAX_NAME_LENGTH = 255

/** An entry of a world, with the keys of its schema. */
export type Entry<T> = { [K in keyof T]?: T[K] | undefined } & Record<string, Yaml | undefined>

export type Members = NonNullable<NonNullable<World['groups']>[number]['members']>

/** The state of writing an instance as a world: its users, and the counts of records that are left out. */
export class WorldWriter {
  readonly ctx: Ctx
  readonly omissions: Omissions
  /** The users that the world can name, by ID. */
  readonly people: ReadonlyMap<number, UserRow>
  /** The IDs of the users that the world names. */
  readonly referencedUsers: Set<number>
  /** Default values of a project's columns. */
  readonly projectDefaults: ReadonlyMap<string, string | null>

  constructor(ctx: Ctx, parent?: WorldWriter) {
    this.ctx = ctx
    this.omissions = new Omissions()
    this.people = parent?.people ?? new Map(store.people(ctx.db).map((row) => [row.id, row]))
    this.referencedUsers = parent?.referencedUsers ?? new Set()
    this.projectDefaults = parent?.projectDefaults ?? store.projectDefaults(ctx.db)
  }

  /** Returns a writer for a part that may be dropped because of its size. It counts left-out records separately. */
  forPart(): WorldWriter {
    return new WorldWriter(this.ctx, this)
  }

  /** The username of a user; undefined for bots and without an ID. */
  name(id: number | null | undefined): string | undefined {
    const user = id === null || id === undefined ? undefined : this.people.get(id)
    if (user) this.referencedUsers.add(user.id)
    return user?.username
  }

  /** The usernames of users, sorted. */
  names(ids: readonly number[]): string[] | undefined {
    return list(ids.flatMap((id) => this.name(id) ?? []).sort())
  }

  /** The user who writes the world. Replaces users who no longer have permission for what they did. */
  get writerName(): string | undefined {
    return this.name(this.ctx.actor.id)
  }

  /** True if a world can contain a name. Counts a name that it cannot contain as left out. */
  checkName(text: string, kind: string, where: string): boolean {
    if (text !== '' && text.length <= MAX_NAME_LENGTH) return true
    this.omissions.add(
      `${kind} with names that are empty or longer than ${MAX_NAME_LENGTH} characters`,
      where,
    )
    return false
  }

  call<Answer>(route: string, input: Readonly<Record<string, unknown>>): Promise<Answer> {
    return localCallsOf(this.ctx.db).call<Answer>(this.ctx, route, input)
  }

  /** Every row of a list. */
  async all<Row>(route: string, input: Readonly<Record<string, unknown>>): Promise<Row[]> {
    const rows: Row[] = []
    for (let page = 1; ; page++) {
      const batch = await this.call<Row[]>(route, { ...input, per_page: 100, page })
      rows.push(...batch)
      if (batch.length < 100) return rows
    }
  }
}

/** The list; undefined if it is empty. */
export function list<T>(values: readonly T[]): T[] | undefined {
  return values.length === 0 ? undefined : [...values]
}

/** The text; undefined if it is empty. */
export function text(value: string | null | undefined): string | undefined {
  return value ? value : undefined
}

/** An ISO time, without milliseconds if they are zero; undefined if it is empty or invalid. */
export function time(value: string | null | undefined): string | undefined {
  if (!value) return undefined
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return undefined
  const iso = date.toISOString()
  return /^\d{4}-/.test(iso) ? iso.replace('.000Z', 'Z') : undefined
}

const LEVELS = [5, 10, 20, 30, 40, 50] as const

/** The name of an access level in a world. */
export function accessNameOf(level: number): (typeof ACCESS)[number] | undefined {
  const index = LEVELS.indexOf(level as 5)
  return index < 0 ? undefined : ACCESS[index]
}

export function levelOf(name: (typeof ACCESS)[number] | undefined): number {
  return name === undefined ? 0 : LEVELS[ACCESS.indexOf(name)]!
}
