import { on, type Subscription } from '../../../events/publish.ts'
import { PipelineChanged, PipelineDeleted } from '../events.ts'
import { removePipelineRef } from './refs.ts'

export const subscribers: Subscription[] = [
  on(PipelineChanged, 'ci.remove_ref', removePipelineRef),
  on(PipelineDeleted, 'ci.remove_ref_of_deleted', removePipelineRef),
]
