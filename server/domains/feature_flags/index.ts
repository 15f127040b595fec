import { domain } from '../../domain.ts'
import { projectEvents } from '../projects/index.ts'
import { abilities } from './policy.ts'
import * as featureFlagClientRoutes from './clients/routes.ts'
import * as featureFlagRoutes from './flags/routes.ts'
import * as featureFlagUserListRoutes from './user_lists/routes.ts'

export { featureFlagById, type FeatureFlagRow } from './flags/store.ts'

export const featureFlagsDomain = domain({
  name: 'feature_flags',
  routes: [featureFlagRoutes, featureFlagUserListRoutes, featureFlagClientRoutes],
  visibleTo: [projectEvents(['feature_flag_id', 'user_list_id'], abilities.read_feature_flags)],
  reloads: { feature_flag: ['feature_flags', 'feature_flags_user_lists'] },
})
