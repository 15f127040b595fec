import type { SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

const LEVELS = [
  { value: 'disabled', label: t('common.nobody') },
  { value: 'private', label: t('project_settings.only_members') },
  { value: 'enabled', label: t('project_settings.everyone_with_access') },
] as const
/** What can be open to all even where the project is not. */
const OPEN_LEVELS = [...LEVELS, { value: 'public', label: t('project_settings.public_pipelines') }] as const

const feature = (
  key: string,
  label: string,
  help: string,
  options: readonly { value: string; label: string }[] = LEVELS,
) => ({ key: `${key}_access_level`, kind: 'choice', label, help, options }) as const

/** The visibility of a project and of its features. */
export const FEATURES: readonly SettingSection[] = [
  {
    title: t('project_settings.visibility'),
    lines: [
      {
        key: 'visibility',
        kind: 'choice',
        label: t('common.visibility'),
        help: t('project_settings.private_only_members_internal_everyone'),
        options: [
          { value: 'private', label: t('common.private') },
          { value: 'internal', label: t('common.internal') },
          { value: 'public', label: t('common.public') },
        ],
      },
      {
        key: 'request_access_enabled',
        kind: 'switch',
        label: t('project_settings.allow_access_requests'),
        help: t('project_settings.anyone_who_can_see_the_project_can'),
      },
      {
        key: 'enforce_auth_checks_on_uploads',
        kind: 'switch',
        label: t('project_settings.require_sign_in_to_view_uploads'),
        help: t('project_settings.when_off_anyone_with_the_link_can_open'),
      },
      {
        key: 'emails_disabled',
        kind: 'switch',
        label: t('project_settings.disable_email_notifications'),
        help: t('project_settings.no_emails_are_sent_for_this_project'),
      },
    ],
  },
  {
    title: t('project_settings.features_and_visibility'),
    lead: t('project_settings.disabled_features_are_hidden_and'),
    lines: [
      feature('repository', t('common.repository'), t('project_settings.code_branches_tags_and_everything')),
      feature(
        'merge_requests',
        t('common.merge_requests'),
        t('project_settings.review_changes_before_they_are_merged'),
      ),
      feature('forking', t('common.forks'), t('project_settings.copies_of_the_project_in_other')),
      feature('issues', t('common.issues'), t('project_settings.track_tasks_bugs_and_ideas')),
      feature('wiki', t('common.wiki'), t('project_settings.documentation_pages_in_their_own')),
      feature('snippets', t('common.snippets'), t('project_settings.share_code_and_text')),
      feature('builds', t('common.pipelines'), t('project_settings.build_test_and_deploy_with_pipelines')),
      feature('releases', t('common.releases'), t('project_settings.versions_with_release_notes_and_assets')),
      feature('environments', t('common.environments'), t('project_settings.track_deployments')),
      feature(
        'feature_flags',
        t('common.feature_flags'),
        t('project_settings.turn_features_on_and_off_in_running'),
      ),
      feature(
        'package_registry',
        t('project_settings.packages'),
        t('project_settings.packages_published_by_this_project'),
        OPEN_LEVELS,
      ),
      feature(
        'container_registry',
        t('project_settings.container_images'),
        t('project_settings.container_images_of_this_project'),
      ),
      feature(
        'pages',
        t('project_settings.pages'),
        t('project_settings.a_static_site_built_by_a_pipeline'),
        OPEN_LEVELS,
      ),
      feature('analytics', t('project_settings.analytics'), t('project_settings.insights_into_the_work')),
      feature(
        'security_and_compliance',
        t('project_settings.security'),
        t('project_settings.results_of_security_scanners'),
      ),
      feature(
        'requirements',
        t('project_settings.requirements'),
        t('project_settings.requirements_for_the_product'),
      ),
      feature('monitor', t('project_settings.monitoring'), t('project_settings.incidents_and_alerts')),
      feature(
        'infrastructure',
        t('project_settings.infrastructure'),
        t('project_settings.clusters_and_their_state'),
      ),
      {
        key: 'lfs_enabled',
        kind: 'switch',
        label: t('project_settings.large_files_lfs'),
        help: t('project_settings.store_large_files_outside_of_git_with'),
      },
      {
        key: 'service_desk_enabled',
        kind: 'switch',
        label: t('project_settings.service_desk'),
        help: t('project_settings.people_without_an_account_can_create'),
      },
    ],
  },
  {
    title: t('project_settings.variables'),
    lines: [
      {
        key: 'show_default_award_emojis',
        kind: 'switch',
        label: t('project_settings.show_thumbs_up_and_thumbs_down'),
        help: t('project_settings.default_award_emoji_on_issues_and'),
      },
      {
        key: 'warn_about_potentially_unwanted_characters',
        kind: 'switch',
        label: t('project_settings.warn_about_hidden_characters'),
        help: t('project_settings.bidirectional_characters_can_hide_what'),
      },
    ],
  },
]
