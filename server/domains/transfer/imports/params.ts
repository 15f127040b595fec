import { bool, hash, text } from '../../../http/params.ts'
import { editSettings } from '../../projects/index.ts'

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

/** Where an imported project goes, and what of it is to be other than the archive says. */
export const placeParams = {
  path: text().describe('Last part of the address of the new project'),
  name: text().optional().describe('Its name; by default the path'),
  namespace: text().optional().describe('Id or full path of where it goes; by default the own namespace'),
  overwrite: bool().default(false).describe('Takes the place of a project of that path, once all is well'),
  override_params: hash({
    ...overridable,
    default_branch: text({ max: 255 }).optional().describe('Branch that is shown first'),
  })
    .optional()
    .describe('Settings that win over those of the archive'),
}
