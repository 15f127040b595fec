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
