import { domain } from '../../domain.ts'
import { eventsOfProjects } from './visibility.ts'
import * as projectActionRoutes from './action-routes.ts'
import { jobs as projectsJobs, crons as projectsCrons } from './jobs.ts'
import * as projectPeopleRoutes from './people-routes.ts'
import * as projectsRoutes from './routes.ts'
import { subscribers as projectsSubscribers } from './subscribers.ts'
import * as topicsRoutes from './topics/routes.ts'

export {
  type Feature,
  type Project,
  type ProjectColumns,
  FEATURES,
  featureLevel,
  fullPath,
} from './project.ts'
export { findProject, project } from './scope.ts'
export { abilities, abilities as projectAbilities } from './policy.ts'
export {
  byId as projectById,
  byIds as projectsByIds,
  byPath as projectByPath,
  update as updateProjectRow,
} from './store.ts'
export { defaultBranchProtection, prepareRepository, protectDefaultBranch, repoOf } from './repository.ts'
export { inRepository, translate as translateGitError } from './in-repository.ts'
export { createProject, insertProject } from './create.ts'
export { BLOCKED, parseImportUrl, type RemoteCredentials } from './import-url.ts'
export {
  forgetImportCredentials,
  importSourceOf,
  sealOldCredentials,
  type ImportSource,
} from './pull-mirror.ts'
export { deleteProject, deleteProjectsIn } from './deletion.ts'
export { visibilitiesIn } from './service.ts'
export { narrowProjectsIn, setSharedRunnersIn } from './in-groups.ts'
export { updateProject } from './update.ts'
export { namespaceNamed, transferProject } from './transfer.ts'
export { checkVisibility, mayCreateIn, narrowest } from './rules.ts'
export { licenseNamed, type License } from './license-texts.ts'
export { renderDescription } from './description.ts'
export { renderAnew } from './render-anew.ts'
export { showTopics } from './topics.ts'
export { findProjects } from './listing.ts'
export { listParams, projectPage, showProjects } from './list-params.ts'
export { autoDevops, viewOf, viewsOf, type ProjectView } from './views.ts'
export { editSettings } from './settings-params.ts'
export { settingsToColumns } from './settings-columns.ts'
export { BUILT_IN_TEMPLATES, isBuiltInTemplate, type BuiltInTemplate } from './built-in-templates.ts'

export { projectEvents, projectEventsWhere } from './visibility.ts'
export const projectsDomain = domain({
  name: 'projects',
  subjects: { project_id: 'projects' },
  routes: [projectsRoutes, projectActionRoutes, projectPeopleRoutes, topicsRoutes],
  jobs: projectsJobs,
  crons: projectsCrons,
  subscribers: projectsSubscribers,
  visibleTo: [eventsOfProjects],
})
