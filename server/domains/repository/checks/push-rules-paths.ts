import { forbids, secretPattern, type PushRule } from '../../push_rules/index.ts'
import { used } from './push-rules-patterns.ts'

/** What a rule has against the path of a new file; undefined where it asks nothing of paths. */
export function pathRules(rule: PushRule): ((path: string) => Promise<string | undefined>) | undefined {
  const isForbidden = used(rule, 'file_name_regex', forbids)
  const looksForSecrets = rule.prevent_secrets === 1
  if (!isForbidden && !looksForSecrets) return undefined
  return async (path) => {
    const secret = looksForSecrets ? secretPattern(path) : undefined
    const pattern = secret ?? ((await isForbidden?.(path)) ? rule.file_name_regex : undefined)
    return pattern === undefined ? undefined : `File name ${path} was prohibited by the pattern "${pattern}".`
  }
}
