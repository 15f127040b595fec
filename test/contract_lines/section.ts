import { expect } from 'vitest'

import type { Client, World } from '../support/world.ts'
import type { Access } from './access.ts'

// `docs/contract.md` shows every statement of the API contract with the request that proves it. Statements are declared
// here, one file per section of the contract, and checked on a running instance by the tests of this folder.

/**
 * The arguments of checks: the instance, an administrator's client, and the result of `prepare`, which may have any
 * shape.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export type CheckArgs = { w: World; root: Client } & Record<string, any>

/** One statement of the contract. */
export interface Line {
  /** The statement, in the words of the contract. */
  says: string
  /** The request that proves it and its answer, or why no request can: shown in `docs/contract.md`. */
  proof: string
  /** Makes the request and checks the answer. Absent where no request can prove the statement. */
  holds?: (args: CheckArgs) => Promise<void> | void
}

/** The statements of one heading of the contract. */
export interface Section {
  title: string
  prepare: (w: World, root: Client) => Promise<object>
  lines: readonly Line[]
}

/** Declares a section; `prepare` makes what its requests need, once. */
export function section(
  title: string,
  prepare: (w: World, root: Client) => Promise<object>,
  lines: readonly Line[],
): Section {
  return { title, prepare, lines }
}

/**
 * The statement `says` is proven by a request that the document shows as `proof`, and by requests of every kind of caller
 * if it also says who may make it (`access`).
 */
export function line(
  says: string,
  proof: string,
  holds: (args: CheckArgs) => Promise<void> | void,
  access?: Access,
): Line {
  if (!access) return { says, proof, holds }
  return {
    says,
    proof: `${proof}; ${access.says}`,
    async holds(args) {
      await holds(args)
      await access.holds(args)
    },
  }
}

/** The statement `says` is only about who may make requests. */
export function accessLine(says: string, access: Access): Line {
  return { says, proof: access.says, holds: access.holds }
}

/** A statement that no request on one instance can prove, with the reason. */
export function unproven(says: string, reason: string): Line {
  return { says, proof: reason }
}

/** Types of the contract's field lists. A trailing `?` means that null is allowed. */
type Type = 'integer' | 'number' | 'string' | 'boolean' | 'array' | 'object' | 'timestamp' | 'date'
export type Fields = Readonly<Record<string, Type | `${Type}?` | 'null' | 'any'>>

const checks: Record<Type, (value: unknown) => boolean> = {
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  timestamp: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value),
  date: (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value),
}

function wrongIn(body: Readonly<Record<string, unknown>>, fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, type]) => {
    if (!(name in body)) return [`${name} is missing`]
    const value = body[name]
    if (type === 'any' || (value === null && (type === 'null' || type.endsWith('?')))) return []
    const isRight = checks[type.replace('?', '') as Type]?.(value) ?? false
    return isRight ? [] : [`${name} is ${JSON.stringify(value)}, not ${type}`]
  })
}

/** Checks that `body` has every field of the contract with its type. Other fields may be there, too. */
export function hasFields(body: unknown, fields: Fields): void {
  expect(wrongIn(body as Record<string, unknown>, fields)).toEqual([])
}

/** Checks that `body` has the fields of the contract with their types, and no other. */
export function hasOnlyFields(body: unknown, fields: Fields): void {
  hasFields(body, fields)
  expect(Object.keys(body as object).filter((name) => !(name in fields))).toEqual([])
}
