import { isSecretName, MASK, maskText } from './names.ts'
import { maskTarget } from './target.ts'

/** An address with parameters, such as that of a webhook; they may be secrets. */
const ADDRESS_WITH_QUERY = /^https?:\/\/[^\s?]+\?\S+$/i
/** Deeper values are left out. */
const MAX_DEPTH = 12
/** Names of lists of CI variables and similar pairs. All their values are masked. */
const PAIRS = /variables|headers$/i

/**
 * Returns a copy of a JSON value with masked secrets: fields with secret names, values of variables, texts that look like
 * tokens, and the texts of `secrets`.
 */
export function maskTree(value: unknown, secrets: readonly string[] = []): unknown {
  return mask(value, { texts: secrets.filter((secret) => secret.length >= 4), depth: 0, isSecret: false })
}

interface MaskContext {
  readonly texts: readonly string[]
  readonly depth: number
  /** Everything below is a secret. */
  readonly isSecret: boolean
}

function mask(value: unknown, context: MaskContext): unknown {
  if (typeof value === 'string') {
    if (context.isSecret) return value === '' ? '' : MASK
    const text = ADDRESS_WITH_QUERY.test(value) ? maskTarget(value) : maskText(value)
    return context.texts.reduce((masked, secret) => masked.replaceAll(secret, MASK), text)
  }
  if (typeof value === 'number') return context.isSecret ? MASK : value
  if (typeof value !== 'object' || value === null) return value
  if (context.depth >= MAX_DEPTH) return '…'
  const deeper = { ...context, depth: context.depth + 1 }
  if (Array.isArray(value)) return value.map((item) => mask(item, deeper))
  const isPair = 'value' in value && ('key' in value || 'variable_type' in value)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isSecret =
        context.isSecret || isSecretName(name) || (isPair && name === 'value') || isDictionary(name, item)
      return [name, mask(item, { ...deeper, isSecret })]
    }),
  )
}

/** `variables: { NAME: 'value' }`, as opposed to a list of pairs. */
function isDictionary(name: string, value: unknown): boolean {
  return PAIRS.test(name) && typeof value === 'object' && value !== null && !Array.isArray(value)
}
