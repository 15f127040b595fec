import { isSecretName, MASK, maskText } from './names.ts'

/** Deeper values are left out. */
const MAX_DEPTH = 12
/** Names of lists of CI variables and similar pairs. All their values are masked. */
const PAIRS = /variables|headers$/i

/**
 * A copy of a JSON value with secrets masked: by the name of the field, values of variables, everything that looks like a
 * token, and the given texts.
 */
export function maskTree(value: unknown, secrets: readonly string[] = []): unknown {
  return masked(value, { known: secrets.filter((secret) => secret.length >= 4), depth: 0, isSecret: false })
}

interface Within {
  readonly known: readonly string[]
  readonly depth: number
  /** Everything below is a secret. */
  readonly isSecret: boolean
}

function masked(value: unknown, within: Within): unknown {
  if (typeof value === 'string') {
    if (within.isSecret) return value === '' ? '' : MASK
    return within.known.reduce((text, secret) => text.replaceAll(secret, MASK), maskText(value))
  }
  if (typeof value === 'number') return within.isSecret ? MASK : value
  if (typeof value !== 'object' || value === null) return value
  if (within.depth >= MAX_DEPTH) return '…'
  const deeper = { ...within, depth: within.depth + 1 }
  if (Array.isArray(value)) return value.map((item) => masked(item, deeper))
  const isPair = 'value' in value && ('key' in value || 'variable_type' in value)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isSecret =
        within.isSecret || isSecretName(name) || (isPair && name === 'value') || isDictionary(name, item)
      return [name, masked(item, { ...deeper, isSecret })]
    }),
  )
}

/** `variables: { NAME: 'value' }`, as opposed to a list of pairs. */
function isDictionary(name: string, value: unknown): boolean {
  return PAIRS.test(name) && typeof value === 'object' && value !== null && !Array.isArray(value)
}
