import { isBlank, isHash, isText } from '../values.ts'
import { allowedKeys, attributes, oneOf, text, upTo } from './checks.ts'
import { visit, type Entry } from './node.ts'
import { workflowRules } from './rules.ts'

const KEYS = new Set(['rules', 'name', 'auto_cancel'])
const AUTO_CANCEL = new Set(['on_new_commit', 'on_job_failure'])

const autoCancel: Entry = (node) => {
  if (!isHash(node.value)) return node.config('should be a hash')
  allowedKeys(node, AUTO_CANCEL)
  attributes(node, {
    on_new_commit: oneOf('conservative', 'interruptible', 'none'),
    on_job_failure: oneOf('none', 'all'),
  })
}

/** `workflow:` (spec ci 4.8). */
export const workflow: Entry = (node) => {
  if (!isHash(node.value)) return node.config('should be a hash')
  if (isBlank(node.value)) return node.config("can't be blank")
  allowedKeys(node, KEYS)
  attributes(node, {
    name: [
      text,
      upTo(255),
      (value) => isText(value) && value === '' && 'is too short (minimum is 1 character)',
    ],
  })
  visit(node, { rules: workflowRules, auto_cancel: autoCancel })
}
