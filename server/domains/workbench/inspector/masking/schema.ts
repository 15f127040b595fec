import type { ObservedEndpoint } from '../../../../observer.ts'
import { isSecretName } from './names.ts'

/**
 * The secrets that answers of an endpoint may contain: the names of secret text fields, or `unknown` where a part of
 * the answer has no declared shape.
 */
export type AnswerSecrets = readonly string[] | 'unknown'

/** Paths of resources that are secrets themselves. */
const SECRET_RESOURCES =
  /variables|integrations|services|settings|\/jobs\/request|hooks|oauth|token|trigger|secure_files|session/

interface Def {
  readonly type?: string
  readonly shape?: Readonly<Record<string, Schema>>
  readonly element?: Schema
  readonly innerType?: Schema
  readonly options?: readonly Schema[]
  readonly items?: readonly Schema[]
  readonly left?: Schema
  readonly right?: Schema
  readonly in?: Schema
  readonly out?: Schema
  readonly getter?: () => Schema
}
interface Schema {
  readonly def?: Def
}

const PLAIN = new Set([
  'number',
  'int',
  'boolean',
  'null',
  'undefined',
  'literal',
  'enum',
  'date',
  'never',
  'void',
])

/** Collects the names of secret fields from the declared entity of an endpoint. */
export function answerSecrets(endpoint: ObservedEndpoint): AnswerSecrets {
  const { entity, kind } = endpoint.returns
  if (SECRET_RESOURCES.test(endpoint.path) || !entity || (kind !== 'entity' && kind !== 'page'))
    return 'unknown'
  const names = new Set<string>()
  return collectSecretNames(entity.schema as Schema, { names, name: '', ancestors: new Set() })
    ? [...names]
    : 'unknown'
}

interface WalkContext {
  readonly names: Set<string>
  /** The name of the field that the schema describes. */
  readonly name: string
  readonly ancestors: Set<Schema>
}

/** Collects the names of secret fields. Returns false for a schema that does not describe all fields. */
function collectSecretNames(schema: Schema, at: WalkContext): boolean {
  const { def } = schema
  if (!def) return false
  if (def.type === 'string' || def.type === 'template_literal') {
    if (isSecretName(at.name)) at.names.add(at.name)
    return true
  }
  if (PLAIN.has(def.type ?? '')) return true
  if (at.ancestors.has(schema)) return true
  at.ancestors.add(schema)
  const inner = [
    def.element,
    def.innerType,
    def.left,
    def.right,
    def.out,
    ...(def.options ?? []),
    ...(def.items ?? []),
  ]
  const schemas = inner.filter((entry) => entry !== undefined)
  if (def.getter) schemas.push(def.getter())
  const fields = Object.entries(def.shape ?? {})
  if (schemas.length === 0 && fields.length === 0 && !def.shape) return false
  at.ancestors.delete(schema)
  const deeper = new Set(at.ancestors).add(schema)
  return (
    schemas.every((entry) => collectSecretNames(entry, { ...at, ancestors: deeper })) &&
    fields.every(([name, item]) => collectSecretNames(item, { ...at, name, ancestors: deeper }))
  )
}
