import { z } from 'zod'

import { objectSchema } from '../lib/object-schema.ts'

/** The data of the instance that an entity may need in addition to its row. */
export interface Presentation {
  /** Base address without a final slash. */
  readonly url: string
  /** Port on which git is served over SSH; undefined if it is not served. */
  readonly sshPort?: number | undefined
  readonly now: string
  /** Base address of git over HTTP, without a final slash; undefined if it is `url`. */
  readonly cloneUrl?: string | undefined
  /** True if durations are written in hours and minutes only. */
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

/** Returns the row inside a view, which has the columns. */
export interface Columns<View, Row> {
  readonly rowOf: (view: View) => Row
}

/**
 * Takes the fields that are columns from the view itself (`row<LabelRow>()`) or from the row inside it (`row((view:
 * LabelView) => view.label)`).
 */
export function row<Row>(): Columns<Row, Row>
export function row<View, Row>(rowOf: (view: View) => Row): Columns<View, Row>
export function row(rowOf: (view: unknown) => unknown = (view) => view): Columns<unknown, unknown> {
  return { rowOf }
}

type Input<Fields extends z.ZodRawShape> = z.input<z.ZodObject<Fields>>

/** Names of fields that are neither computed nor a column with a matching type. */
type MissingFields<Row, Fields extends z.ZodRawShape, Computed> = {
  [Name in Exclude<keyof Input<Fields>, Computed>]: Name extends keyof Row
    ? Row[Name] extends Input<Fields>[Name]
      ? never
      : Name
    : Name
}[Exclude<keyof Input<Fields>, Computed>]

/** Accepts anything if no field is missing. Otherwise, the compiler's message names the missing fields. */
type Complete<Name> = [Name] extends [never] ? unknown : { readonly unknown: Name }

type DeclaredEntity<Fields extends z.ZodRawShape, View> = Entity<View, z.output<z.ZodObject<Fields>>> & {
  readonly fields: Fields
}

/**
 * Declares an entity. The fields are in the contract's order. Either they are columns of a row, and `computed` returns
 * the others; or `present` returns all of them. Both functions are pure and never query, because the store loads all
 * data. `computed` returns the same names each time, with `undefined` for a field that the answer leaves out. In strict
 * mode every answer is parsed with the schema, and an undeclared field is an error.
 */
export function entity<const Fields extends z.ZodRawShape, View>(
  name: string,
  fields: Fields,
  present: (row: View, at: Presentation) => Input<Fields>,
): DeclaredEntity<Fields, View>
export function entity<const Fields extends z.ZodRawShape, View, Row>(
  name: string,
  fields: Fields,
  columns: Columns<View, Row> & Complete<MissingFields<Row, Fields, never>>,
): DeclaredEntity<Fields, View>
export function entity<const Fields extends z.ZodRawShape, View, Row, Computed extends keyof Input<Fields>>(
  name: string,
  fields: Fields,
  columns: Columns<View, Row>,
  computed: ((view: View, at: Presentation) => Pick<Input<Fields>, Computed>) &
    Complete<MissingFields<Row, Fields, Computed>>,
): DeclaredEntity<Fields, View>
export function entity(
  name: string,
  fields: z.ZodRawShape,
  source: Present | Columns<never, object>,
  computed?: Present,
): DeclaredEntity<z.ZodRawShape, never> {
  const schema = objectSchema(fields, z.strictObject)
  entitySchemas.add(schema, { id: name })
  const present = typeof source === 'function' ? source : presenter(Object.keys(fields), source, computed)
  return { name, fields, schema, present: present as DeclaredEntity<z.ZodRawShape, never>['present'] }
}

type Assemble = (row: object, computedFields: object) => object
type Present = (view: never, at: Presentation) => object

/**
 * Assembles the fields in their order as one object literal. The literal is compiled on first use, because a loop over
 * the names takes a third longer.
 */
function presenter(names: readonly string[], { rowOf }: Columns<never, object>, computed?: Present): Present {
  let assemble: Assemble | undefined
  const compile = (computedFields: object): Assemble => {
    const values = names.map((name) => {
      const key = JSON.stringify(name)
      return `${key}: ${Object.hasOwn(computedFields, name) ? 'computedFields' : 'row'}[${key}]`
    })
    // The text contains only names of declared fields, never data of a request.
    // oxlint-disable-next-line no-new-func
    return new Function('row', 'computedFields', `return { ${values.join(', ')} }`) as Assemble
  }
  return (view, at) => {
    const computedFields = computed?.(view, at) ?? {}
    assemble ??= compile(computedFields)
    return assemble(rowOf(view), computedFields)
  }
}

/** A row with the entity that presents it. */
export interface PresentedRow<Row = unknown> {
  readonly entity: Entity<Row>
  readonly row: Row
}

/** Chooses the entity of one answer: `return as(ProjectSimple, row)` where the endpoint declares `oneOf(…)`. */
export function as<Row>(view: Entity<Row>, row: Row): PresentedRow<Row> {
  return { entity: view as Entity<Row>, row }
}

/** Several entities of one resource for one endpoint; `run` chooses one with `as()`. */
export function oneOf(...views: readonly [AnyEntity, ...AnyEntity[]]): Entity<PresentedRow<never>, unknown> {
  const [first, ...rest] = views.map((view) => view.schema)
  return {
    name: views.map((view) => view.name).join('|'),
    schema: z.union([first!, ...rest]),
    present: (shown, at) => shown.entity.present(shown.row, at),
  }
}

/** An entity of any row, for lists of entities. */
// The row type is contravariant, so `never` accepts entities of all rows.
export type AnyEntity = Entity<never, unknown>

// Made once: each of these schemas takes 50 µs, and there are hundreds of fields.
const TIME = z.iso.datetime({ offset: true })
const DATE = z.iso.date()

/** The schema of a time in answers: ISO 8601 with milliseconds. */
export const time = () => TIME

/** The schema of a calendar day in answers. */
export const date = () => DATE
