import { z } from 'zod'

import { objectSchema } from '../lib/object-schema.ts'

/** What an entity may need beside its row: where the instance answers, and the time of the answer. */
export interface Presentation {
  /** Base address without a final slash. */
  readonly url: string
  /** Port on which git is served over SSH; undefined where it is not. */
  readonly sshPort?: number | undefined
  readonly now: string
  /** Where git is cloned from over HTTP, where the settings say another address than `url`; no final slash. */
  readonly cloneUrl?: string | undefined
  /** Durations are written in hours and minutes only. */
  readonly inHours?: boolean | undefined
}

/** A JSON form of a resource: a schema and a pure function from a row. */
export interface Entity<Row = unknown, Shape = unknown> {
  readonly name: string
  readonly schema: z.ZodType<Shape>
  present(row: Row, at: Presentation): Shape
}

/** Schemas of all entities by name, for the API description. */
export const entitySchemas = z.registry<{ id: string }>()

/**
 * Declares an entity. Field order is the contract's order; `present` is pure and never queries (associations are
 * loaded by the store). In strict mode every answer is parsed with the schema, and an undeclared field is an error.
 */
export function entity<const Fields extends z.ZodRawShape, Row>(
  name: string,
  fields: Fields,
  present: (row: Row, at: Presentation) => z.input<z.ZodObject<Fields>>,
): Entity<Row, z.output<z.ZodObject<Fields>>> & { readonly fields: Fields } {
  const schema = objectSchema(fields, z.strictObject)
  entitySchemas.add(schema, { id: name })
  return {
    name,
    fields,
    schema,
    present: present as (row: Row, at: Presentation) => z.output<z.ZodObject<Fields>>,
  }
}

/** A row together with the view it is shown in. */
export interface Shown<Row = unknown> {
  readonly entity: Entity<Row>
  readonly row: Row
}

/** Chooses a view for one answer: `return as(ProjectSimple, row)` where the endpoint declares `oneOf(…)`. */
export function as<Row>(view: Entity<Row>, row: Row): Shown<Row> {
  return { entity: view as Entity<Row>, row }
}

/** Several views of one resource behind one endpoint; `run` picks with `as()`. */
export function oneOf(...views: readonly [AnyEntity, ...AnyEntity[]]): Entity<Shown<never>, unknown> {
  const [first, ...rest] = views.map((view) => view.schema)
  return {
    name: views.map((view) => view.name).join('|'),
    schema: z.union([first!, ...rest]),
    present: (shown, at) => shown.entity.present(shown.row, at),
  }
}

/** An entity of any row, for lists of entities. */
// The row type is contravariant; `never` is the one that accepts them all.
export type AnyEntity = Entity<never, unknown>

/** A moment on the wire, ISO 8601 with three decimals. */
export const time = () => z.iso.datetime({ offset: true })

/** A calendar day on the wire. */
export const date = () => z.iso.date()
