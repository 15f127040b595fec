import { isExpression } from '../expressions/parse.ts'
import { patternOf } from '../patterns.ts'
import { isBlank, isHash, isList, isText, isTexts, type Value } from '../values.ts'
import { allowedKeys, attributes, entriesUpTo, texts, type Rule } from './checks.ts'
import type { Entry } from './node.ts'

const KEYS = new Set(['refs', 'kubernetes', 'variables', 'changes'])
const NO_REFS = 'should be an array of strings or regular expressions using re2 syntax'

/** A name, or a pattern, either with `@path` behind it. */
function isRef(value: Value): boolean {
  if (!isText(value)) return false
  if (!value.startsWith('/')) return true
  const end = /^(\/.*\/[ismU]*)(?:@.*)?$/s.exec(value)
  return end !== null && patternOf(end[1]!) !== null
}

const refs: Rule = (value) => !(isList(value) && value.every(isRef)) && NO_REFS
const expressions: Rule = (value) => {
  if (!isTexts(value)) return 'should be an array of strings'
  return !value.every(isExpression) && 'invalid expression syntax'
}

/** `only:` and `except:` (spec ci 4.9). */
export const policy: Entry = (node) => {
  if (isList(node.value)) {
    const words = refs(node.value)
    if (words) node.config(words)
    return
  }
  if (!isHash(node.value)) return node.plain('has to be either an array of conditions or a hash')
  allowedKeys(node, KEYS)
  if (isBlank(node.value)) node.config("can't be blank")
  attributes(node, {
    refs,
    kubernetes: (value) => value !== 'active' && `unknown value: ${String(value)}`,
    variables: expressions,
    changes: [texts, entriesUpTo(50)],
  })
}
