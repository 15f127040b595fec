import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { VariableCreated, VariableRemoved, VariableUpdated } from '../events.ts'
import * as store from './store.ts'
import type { VariableScope, VariableRow } from './store.ts'
import { covers, specificity } from '../../../lib/text/environment-scope.ts'
import type { Project } from '../../projects/index.ts'

/** A variable with its plain value. */
export interface OpenVariable {
  readonly row: VariableRow
  readonly value: string
}

const MAX_KEY = 255
const MAX_VALUE = 10_000
const MAX_DESCRIPTION = 255

/** The values that a runner can mask: a line of at least eight characters of Base64 or `@ : . ~` (spec ci 2.9). */
const MASKABLE = /^[A-Za-z0-9+/=_@:.~-]{8,}$/

const KEY_TEXT = "can contain only letters, digits and '_'."
const SCOPE_TEXT = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"

/** The checked fields of a variable, with its plain value. */
interface CheckedVariable {
  readonly key: string
  readonly value: string
  readonly masked: boolean
  readonly environment_scope: string
  readonly description: string | null
}

/** Throws 400 with the errors of each field of a variable. */
export function checkVariable(input: CheckedVariable): void {
  const problems: Record<string, string[]> = {
    key: keyProblems(input.key),
    value: valueProblems(input),
    environment_scope: scopeProblems(input.environment_scope),
    description: tooLong(input.description ?? '', MAX_DESCRIPTION),
  }
  const found = Object.entries(problems).filter(([, texts]) => texts.length > 0)
  if (found.length > 0) throw invalid(Object.fromEntries(found))
}

function keyProblems(key: string): string[] {
  const isBlank = key === ''
  const isWord = /^[A-Za-z0-9_]+$/.test(key)
  return [...(isBlank ? ["can't be blank"] : []), ...tooLong(key, MAX_KEY), ...(isWord ? [] : [KEY_TEXT])]
}

function valueProblems({ value, masked }: CheckedVariable): string[] {
  return [...tooLong(value, MAX_VALUE), ...(masked && !MASKABLE.test(value) ? ['is invalid'] : [])]
}

function scopeProblems(scope: string): string[] {
  const isWord = /^[A-Za-z0-9_/${}. *-]+$/.test(scope)
  return [...tooLong(scope, 255), ...(isWord ? [] : [SCOPE_TEXT])]
}

function tooLong(text: string, max: number): string[] {
  return text.length > max ? [`is too long (maximum is ${max} characters)`] : []
}

/** The fields of a variable except its key. */
export interface VariableFields {
  readonly value: string
  readonly variable_type: 'env_var' | 'file'
  readonly protected: boolean
  readonly masked: boolean
  readonly raw: boolean
  readonly environment_scope: string
  readonly description: string | null
}

/** The fields of a new variable. */
export type NewVariable = Partial<VariableFields> & Pick<VariableFields, 'value'> & { readonly key: string }

const DEFAULTS: Omit<VariableFields, 'value'> = {
  variable_type: 'env_var',
  protected: false,
  masked: false,
  raw: false,
  environment_scope: '*',
  description: null,
}

/** The maximum number of variables of an owner. Every pipeline gets all of them. */
const MAX_VARIABLES = 8000

/** A page of the variables of an owner. */
export function listVariables(ctx: Ctx, scope: VariableScope, paging: { limit: number; offset: number }) {
  const { rows, total } = store.list(ctx.db, scope, paging)
  return { rows: rows.map((row) => openVariable(ctx, row)), total }
}

/**
 * Returns the variable of an owner with a key, and with an environment scope if `scope` is set. Throws `404 Variable Not
 * Found`, and 409 if there are several.
 */
export function findVariable(ctx: Ctx, owner: VariableScope, key: string, scope?: string): VariableRow {
  const candidates = store.withKey(ctx.db, owner, key)
  const rows = scope === undefined ? candidates : candidates.filter((row) => row.environment_scope === scope)
  if (rows.length > 1) {
    const text =
      "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'"
    throw fail('conflict', text)
  }
  if (!rows[0]) throw notFound('Variable')
  return rows[0]
}

/** Creates a variable. Throws 400 with the errors of each field. */
export function createVariable(ctx: Ctx, scope: VariableScope, input: NewVariable): OpenVariable {
  const key = input.key.trim()
  const fields = { ...DEFAULTS, ...input }
  checkVariable({ ...fields, key })
  return tx(ctx.db, () => {
    checkFree(ctx, scope, key, fields.environment_scope)
    if (store.count(ctx.db, scope) >= MAX_VARIABLES)
      throw invalid({ base: `Maximum number of variables (${MAX_VARIABLES}) exceeded` })
    const columns = { ...columnsOf(ctx, fields), updated_at: ctx.now }
    const row = store.insert(ctx.db, { ...scope, ...columns, key, created_at: ctx.now })
    publish(ctx, VariableCreated, eventOf(ctx, row))
    return { row, value: fields.value }
  })
}

/** Updates a variable. Throws 400 with the errors of each field. */
export function updateVariable(
  ctx: Ctx,
  before: VariableRow,
  changes: Partial<VariableFields>,
): OpenVariable {
  const fields = { ...fieldsOf(openVariable(ctx, before)), ...changes }
  checkVariable({ ...fields, key: before.key })
  return tx(ctx.db, () => {
    if (fields.environment_scope !== before.environment_scope)
      checkFree(ctx, before, before.key, fields.environment_scope)
    const row = store.update(ctx.db, before.id, { ...columnsOf(ctx, fields), updated_at: ctx.now })
    publish(ctx, VariableUpdated, eventOf(ctx, row))
    return { row, value: fields.value }
  })
}

/** Deletes a variable. */
export function removeVariable(ctx: Ctx, row: VariableRow): void {
  tx(ctx.db, () => {
    // The event is published before the deletion, because the audit log reads the key of the variable.
    publish(ctx, VariableRemoved, eventOf(ctx, row))
    store.remove(ctx.db, row.id)
  })
}

function fieldsOf({ row, value }: OpenVariable): VariableFields {
  return {
    value,
    variable_type: row.variable_type,
    protected: row.protected,
    masked: row.masked,
    raw: row.raw,
    environment_scope: row.environment_scope,
    description: row.description,
  }
}

function columnsOf(ctx: Ctx, fields: VariableFields) {
  return {
    value: sealValue(ctx, fields.value),
    variable_type: fields.variable_type,
    protected: fields.protected,
    masked: fields.masked,
    raw: fields.raw,
    environment_scope: fields.environment_scope,
    description: fields.description,
  }
}

function checkFree(ctx: Ctx, owner: VariableScope, key: string, scope: string): void {
  const isTaken = store.withKey(ctx.db, owner, key).some((row) => row.environment_scope === scope)
  if (isTaken) throw invalid({ key: `(${key}) has already been taken` })
}

function eventOf(ctx: Ctx, { id, project_id, group_id }: VariableRow) {
  const owner = project_id !== null ? { project_id } : group_id !== null ? { group_id } : undefined
  return { ...owner, variable_id: id, actor_id: ctx.actor.id }
}

const PURPOSE = 'ci_variables.value'

/** Encrypts a value for storage. */
export function sealValue({ secrets }: Pick<Ctx, 'secrets'>, value: string): string {
  return secrets.seal(value, PURPOSE)
}

/** Decrypts the value of a variable. Throws if the secret key of the instance has changed. */
export function openVariable({ secrets }: Pick<Ctx, 'secrets'>, row: VariableRow): OpenVariable {
  return { row, value: secrets.open(row.value, PURPOSE).toString() }
}

/** The properties of a pipeline or job that determine which variables apply. */
export interface VariableUse {
  /** Whether the branch or tag is protected. Protected variables apply only then. */
  readonly isProtected: boolean
  /** The name of the job's environment, with expanded variables. */
  readonly environment?: string | undefined
}

/** A variable of a pipeline or job. */
export interface PlainVariable {
  readonly key: string
  readonly value: string
  readonly isFile: boolean
  readonly isMasked: boolean
  readonly isRaw: boolean
}

/**
 * The variables of the instance, the groups and the project, one for each key (spec ci 2.14). Those of the project take
 * precedence, followed by those of inner groups, outer groups and the instance. With the same owner, the more specific
 * environment scope takes precedence.
 */
export function variablesFor(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  project: Pick<Project, 'id' | 'lineage'>,
  use: VariableUse,
): PlainVariable[] {
  const groups = JSON.parse(project.lineage) as number[]
  const rank = (row: VariableRow): number => {
    if (row.project_id !== null) return groups.length + 1
    return row.group_id === null ? 0 : groups.indexOf(row.group_id) + 1
  }
  const applicable = store
    .ofPipelines(ctx.db, project.id, groups)
    .filter((row) => (!row.protected || use.isProtected) && covers(row.environment_scope, use.environment))
  const sorted = applicable.toSorted((a, b) => rank(a) - rank(b) || bySpecificity(a, b) || a.id - b.id)
  // The last variable with a key replaces the ones before.
  const byKey = new Map(sorted.map((row) => [row.key, row]))
  return [...byKey.values()].map((row) => plainVariable(ctx, row))
}

function bySpecificity(a: VariableRow, b: VariableRow): number {
  const [first, second] = [specificity(a.environment_scope), specificity(b.environment_scope)]
  return first === second ? 0 : first - second
}

function plainVariable(ctx: Pick<Ctx, 'secrets'>, row: VariableRow): PlainVariable {
  return {
    key: row.key,
    value: openVariable(ctx, row).value,
    isFile: row.variable_type === 'file',
    isMasked: row.masked,
    isRaw: row.raw,
  }
}
