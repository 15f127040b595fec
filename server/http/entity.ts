import { z } from 'zod'

import { objectSchema } from '../lib/object-schema.ts'

/** The data that an entity may need in addition to its row. */
export interface Presentation {
  /** Base address without a final slash. */
  readonly url: string
  /** Port on which git is served over SSH; undefined if it is not. */
  readonly sshPort?: number | undefined
  readonly now: string
  /** Base address of git over HTTP when the settings name another one than `url`; no final slash. */
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

/** How to get from a view to the row with its columns. */
export interface Columns<View, Row> {
  readonly rowOf: (view: View) => Row
}

/**
 * Takes plain fields from columns of `View` itself or of the row inside it: `row<LabelRow>()`, `row((view: LabelView)
 * => view.label)`.
 */
export function row<Row>(): Columns<Row, Row>
export function row<View, Row>(rowOf: (view: View) => Row): Columns<View, Row>
export function row(rowOf: (view: unknown) => unknown = (view) => view): Columns<unknown, unknown> {
  return { rowOf }
}

type Input<Fields extends z.ZodRawShape> = z.input<z.ZodObject<Fields>>

/** Names of fields that are neither computed nor a column of their type. */
type Unknown<Row, Fields extends z.ZodRawShape, Own> = {
  [Name in Exclude<keyof Input<Fields>, Own>]: Name extends keyof Row
    ? Row[Name] extends Input<Fields>[Name]
      ? never
      : Name
    : Name
}[Exclude<keyof Input<Fields>, Own>]

type Known<Name> = [Name] extends [never] ? unknown : { readonly unknown: Name }

type Declared<Fields extends z.ZodRawShape, View> = Entity<View, z.output<z.ZodObject<Fields>>> & {
  readonly fields: Fields
}

/**
 * Declares an entity. Field order is the contract's order. Either the fields are columns of a row, and a function
 * computes those that are not; or a function makes all of them. Both are pure and never query (associations are loaded
 * by the store). `computed` returns the same names each time, `undefined` for what a reader does not get. In strict
 * mode every answer is parsed with the schema, and an undeclared field is an error.
 */
export function entity<const Fields extends z.ZodRawShape, View>(
  name: string,
  fields: Fields,
  present: (row: View, at: Presentation) => Input<Fields>,
): Declared<Fields, View>
export function entity<const Fields extends z.ZodRawShape, View, Row>(
  name: string,
  fields: Fields,
  columns: Columns<View, Row> & Known<Unknown<Row, Fields, never>>,
): Declared<Fields, View>
export function entity<const Fields extends z.ZodRawShape, View, Row, Own extends keyof Input<Fields>>(
  name: string,
  fields: Fields,
  columns: Columns<View, Row>,
  computed: ((view: View, at: Presentation) => Pick<Input<Fields>, Own>) & Known<Unknown<Row, Fields, Own>>,
): Declared<Fields, View>
export function entity(
  name: string,
  fields: z.ZodRawShape,
  from: Present | Columns<never, object>,
  computed?: Present,
): Declared<z.ZodRawShape, never> {
  const schema = objectSchema(fields, z.strictObject)
  entitySchemas.add(schema, { id: name })
  const present = typeof from === 'function' ? from : presenter(Object.keys(fields), from, computed)
  return { name, fields, schema, present: present as Declared<z.ZodRawShape, never>['present'] }
}

type Assemble = (row: object, own: object) => object
type Present = (view: never, at: Presentation) => object

/**
 * Assembles the fields in their order as one object literal. It is compiled on first use; a loop over names is a third
 * slower.
 */
function presenter(names: readonly string[], { rowOf }: Columns<never, object>, computed?: Present): Present {
  let assemble: Assemble | undefined
  const compile = (own: object): Assemble => {
    const values = names.map((name) => {
      const key = JSON.stringify(name)
      return `${key}: ${Object.hasOwn(own, name) ? 'own' : 'row'}[${key}]`
    })
    // The names are those of declared fields; nothing of a request is in this text.
    // oxlint-disable-next-line no-new-func
    return new Function('row', 'own', `return { ${values.join(', ')} }`) as Assemble
  }
  return (view, at) => {
    const own = computed?.(view, at) ?? {}
    assemble ??= compile(own)
    return assemble(rowOf(view), own)
  }
}

/** A row together with its entity. */
export interface Shown<Row = unknown> {
  readonly entity: Entity<Row>
  readonly row: Row
}

/** Chooses the entity of one answer: `return as(ProjectSimple, row)` where the endpoint declares `oneOf(…)`. */
export function as<Row>(view: Entity<Row>, row: Row): Shown<Row> {
  return { entity: view as Entity<Row>, row }
}

/** Several entities of one resource behind one endpoint; `run` chooses with `as()`. */
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
