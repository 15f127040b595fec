import { bool, hash, text } from '../../../../http/params.ts'
import { fail } from '../../../../lib/fail.ts'
import { editSettings } from '../../../projects/index.ts'

/** Settings that lead to other places, or to other machines, are set once the project is there. */
const {
  import_url: _url,
  avatar: _avatar,
  mirror: _mirror,
  mirror_trigger_builds: _builds,
  mirror_user_id: _user,
  only_mirror_protected_branches: _protected,
  mirror_overwrites_diverged_branches: _diverged,
  repository_storage: _storage,
  ...overridable
} = editSettings

const overrides = hash({
  ...overridable,
  default_branch: text({ max: 255 }).optional().describe('Branch that is shown first'),
})

/** Where an imported project goes, and what of it is to be other than the archive says. */
export const placeParams = {
  path: text().describe('Last part of the address of the new project'),
  name: text().optional().describe('Its name; by default the path'),
  namespace: text().optional().describe('Id or full path of where it goes; by default the own namespace'),
  overwrite: bool().default(false).describe('Takes the place of a project of that path, once all is well'),
  override_params: overrides.optional().describe('Settings that win over those of the archive'),
}

const NAMED = /^override_params\[(\w+)\]$/

/** Settings that win, as one client names them in JSON: `{"override_params[description]": "…"}`. Throws 400 as for others. */
export function flatOverrides(given: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const found = Object.entries(given).flatMap(([name, value]) => {
    const inner = NAMED.exec(name)?.[1]
    return inner === undefined ? [] : [[inner, value] as const]
  })
  if (found.length === 0) return undefined
  const { success, data, error } = overrides.safeParse(Object.fromEntries(found))
  if (success) return data
  const [issue] = error.issues
  throw fail('parameter', `override_params[${String(issue?.path[0])}] ${issue?.message ?? 'is invalid'}`)
}
