import { abilitiesOn } from '../../policy/ability.ts'
import { DEVELOPER, MAINTAINER } from '../../policy/levels.ts'
import { project } from '../projects/index.ts'

const feature = 'feature_flags'

/**
 * What can be done with the feature flags of a project (spec rest-api "Feature flag", ci 7.3). Changes of flags pass here
 * while a project is archived, because they are refused with words of their own.
 */
export const abilities = abilitiesOn(project, {
  read_feature_flags: { from: DEVELOPER, feature },
  admin_feature_flags: { from: DEVELOPER, feature, archived: true },
  admin_feature_flag_user_lists: { from: DEVELOPER, feature },
  admin_feature_flag_client: { from: MAINTAINER, feature },
})
