import { domain } from '../../domain.ts'
import { projectEvents } from '../projects/index.ts'
import { abilities } from './policy.ts'

export { featureFlagById, type FeatureFlagRow } from './flags/store.ts'

export const featureFlagsDomain = domain({
  name: 'feature_flags',
  endpoints: () =>
    Promise.all([
      import('./flags/routes.ts'),
      import('./user_lists/routes.ts'),
      import('./clients/routes.ts'),
    ]),
  visibleTo: [projectEvents(['feature_flag_id', 'user_list_id'], abilities.read_feature_flags)],
  reloads: { feature_flag: ['feature_flags', 'feature_flags_user_lists'] },
})
