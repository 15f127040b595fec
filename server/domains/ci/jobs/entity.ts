import { entity, type Presentation } from '../../../http/entity.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import { PipelineBasic } from '../pipelines/entity.ts'
import { basic, basicFields, fullFields, rest, scopeFields, scopeOf } from './fields.ts'
import type { BridgeView, JobView } from './view.ts'

/** A job without its files and runner: in lists of what waits for something (spec ci 2.7, 2.11). */
export const JobBasic = entity('JobBasic', { ...basicFields, ...scopeFields }, (view: JobView, at) => ({
  ...basic(view, at),
  ...scopeOf(view),
}))

/** A job (spec ci 2.7). */
export const Job = entity('Job', { ...basicFields, ...scopeFields, ...fullFields }, (view: JobView, at) => ({
  ...basic(view, at),
  ...scopeOf(view),
  ...rest(view, at),
}))

/** A job among those of a runner, which come from several projects (spec rest-api, Runner). */
export const JobOfRunner = entity(
  'JobOfRunner',
  { ...basicFields, project: ProjectIdentity.schema },
  (view: JobView, at) => ({ ...basic(view, at), project: ProjectIdentity.present(view.project, at) }),
)

const bridgeFields = {
  ...basicFields,
  ...scopeFields,
  downstream_pipeline: PipelineBasic.schema.nullable(),
}

/** A trigger job with the pipeline that it made (spec ci 2.7). */
export const Bridge = entity('Bridge', bridgeFields, (view: BridgeView, at: Presentation) => ({
  ...basic(view, at),
  ...scopeOf(view),
  downstream_pipeline: view.downstream && PipelineBasic.present(view.downstream, at),
}))
