import { abilitiesOn } from '../../policy/ability.ts'
import { DEVELOPER, MAINTAINER } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

const feature = 'feature_flags'

/**
 * Abilities on the feature flags of a project (spec rest-api "Feature flag", ci 7.3). `admin_feature_flags` allows changes
 * in an archived project, because the service refuses them with the contract's message.
 */
export const abilities = abilitiesOn(project, {
  read_feature_flags: { from: DEVELOPER, feature },
  admin_feature_flags: { from: DEVELOPER, feature, archived: true },
  admin_feature_flag_user_lists: { from: DEVELOPER, feature },
  admin_feature_flag_client: { from: MAINTAINER, feature },
})
