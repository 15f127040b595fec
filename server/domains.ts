import type { Domain } from './domain.ts'
import { visibilityOf } from './events/visibility.ts'
import { accountsDomain } from './domains/accounts/index.ts'
import { activityDomain } from './domains/activity/index.ts'
import { adminDomain } from './domains/admin/index.ts'
import { appearanceDomain } from './domains/appearance/index.ts'
import { authDomain } from './domains/auth/index.ts'
import { backupsDomain } from './domains/backups/index.ts'
import { ciDomain } from './domains/ci/index.ts'
import { ciConfigDomain } from './domains/ci_config/index.ts'
import { discussionsDomain } from './domains/discussions/index.ts'
import { featureFlagsDomain } from './domains/feature_flags/index.ts'
import { groupsDomain } from './domains/groups/index.ts'
import { importExportDomain } from './domains/import_export/index.ts'
import { importersDomain } from './domains/importers/index.ts'
import { integrationsDomain } from './domains/integrations/index.ts'
import { mailDomain } from './domains/mail/index.ts'
import { markdownDomain } from './domains/markdown/index.ts'
import { membersDomain } from './domains/members/index.ts'
import { mergeRequestsDomain } from './domains/merge_requests/index.ts'
import { mirrorsDomain } from './domains/mirrors/index.ts'
import { namespacesDomain } from './domains/namespaces/index.ts'
import { planningDomain } from './domains/planning/index.ts'
import { projectsDomain } from './domains/projects/index.ts'
import { releasesDomain } from './domains/releases/index.ts'
import { repositoryDomain } from './domains/repository/index.ts'
import { searchDomain } from './domains/search/index.ts'
import { settingsDomain } from './domains/settings/index.ts'
import { snippetsDomain } from './domains/snippets/index.ts'
import { storageDomain } from './domains/storage/index.ts'
import { todosDomain } from './domains/todos/index.ts'
import { usersDomain } from './domains/users/index.ts'
import { webhooksDomain } from './domains/webhooks/index.ts'
import { wikisDomain } from './domains/wikis/index.ts'
import { workbenchDomain } from './domains/workbench/index.ts'

/** Every domain of the instance, foundation first. */
export const domains: readonly Domain[] = [
  settingsDomain,
  storageDomain,
  usersDomain,
  namespacesDomain,
  authDomain,
  membersDomain,
  projectsDomain,
  groupsDomain,
  repositoryDomain,
  planningDomain,
  todosDomain,
  activityDomain,
  markdownDomain,
  ciConfigDomain,
  ciDomain,
  discussionsDomain,
  mergeRequestsDomain,
  appearanceDomain,
  importExportDomain,
  importersDomain,
  mirrorsDomain,
  mailDomain,
  backupsDomain,
  accountsDomain,
  searchDomain,
  snippetsDomain,
  wikisDomain,
  releasesDomain,
  featureFlagsDomain,
  webhooksDomain,
  integrationsDomain,
  adminDomain,
  workbenchDomain,
]

/** True when a user's window may receive an event. */
export const mayReceive = visibilityOf(domains.flatMap((domain) => domain.visibleTo ?? []))
