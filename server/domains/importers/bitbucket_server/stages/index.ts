import { activities } from './activities.ts'
import { pullRequests } from './pull-requests.ts'
import { repository } from './repository.ts'
import type { Stage } from './stage.ts'

/** All stages; what others refer to comes first. */
export const STAGES: readonly Stage[] = [repository, pullRequests, activities]
