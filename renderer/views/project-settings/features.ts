import type { SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

const LEVELS = [
  { value: 'disabled', label: t('common.nobody') },
  { value: 'private', label: t('project_settings.only_members') },
  { value: 'enabled', label: t('project_settings.everyone_with_access') },
] as const
/** What can be open to all even where the project is not. */
const OPEN_LEVELS = [...LEVELS, { value: 'public', label: t('project_settings.everyone_always') }] as const

const feature = (
  key: string,
  label: string,
  help: string,
  options: readonly { value: string; label: string }[] = LEVELS,
) => ({ key: `${key}_access_level`, kind: 'choice', label, help, options }) as const

/** The visibility of a project and of its features. */
export const FEATURES: readonly SettingSection[] = [
  {
    title: t('project_settings.who_sees_it'),
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
        label: t('project_settings.people_may_ask_for_access'),
        help: t('project_settings.people_who_can_see_the_project_can'),
      },
      {
        key: 'enforce_auth_checks_on_uploads',
        kind: 'switch',
        label: t('project_settings.require_sign_in_to_view_uploaded_files'),
        help: t('project_settings.when_off_anyone_with_the_link_can_open'),
      },
      {
        key: 'emails_disabled',
        kind: 'switch',
        label: t('project_settings.no_email_about_it'),
        help: t('project_settings.no_email_is_sent_about_this_project'),
      },
    ],
  },
  {
    title: t('project_settings.features_and_visibility'),
    lead: t('project_settings.disabled_features_are_hidden_and'),
    lines: [
      feature(
        'repository',
        t('common.repository'),
        t('project_settings.code_branches_and_tags_with_everything'),
      ),
      feature(
        'merge_requests',
        t('common.merge_requests'),
        t('project_settings.changes_that_are_looked_at_before_they'),
      ),
      feature('forking', t('common.forks'), t('project_settings.copies_of_it_under_other_owners')),
      feature('issues', t('common.issues'), t('project_settings.things_to_do_and_to_talk_about')),
      feature('wiki', t('common.wiki'), t('project_settings.pages_of_documentation_in_a_repository')),
      feature('snippets', t('common.snippets'), t('project_settings.share_pieces_of_code_and_text')),
      feature('builds', t('common.pipelines'), t('project_settings.jobs_that_build_test_and_deploy')),
      feature('releases', t('common.releases'), t('project_settings.versions_with_notes_and_files')),
      feature('environments', t('common.environments'), t('project_settings.track_deployments')),
      feature(
        'feature_flags',
        t('common.feature_flags'),
        t('project_settings.switches_that_a_running_program_asks'),
      ),
      feature(
        'package_registry',
        t('project_settings.packages'),
        t('project_settings.libraries_that_are_published_here'),
        OPEN_LEVELS,
      ),
      feature(
        'container_registry',
        t('project_settings.container_images'),
        t('project_settings.images_that_are_pushed_here'),
      ),
      feature(
        'pages',
        t('project_settings.pages'),
        t('project_settings.a_static_site_made_by_a_pipeline'),
        OPEN_LEVELS,
      ),
      feature('analytics', t('project_settings.analytics'), t('project_settings.figures_about_the_work')),
      feature(
        'security_and_compliance',
        t('project_settings.security'),
        t('project_settings.findings_of_scanners'),
      ),
      feature(
        'requirements',
        t('project_settings.requirements'),
        t('project_settings.what_the_product_has_to_do'),
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
        help: t('project_settings.store_large_files_outside_the'),
      },
      {
        key: 'service_desk_enabled',
        kind: 'switch',
        label: t('project_settings.service_desk'),
        help: t('project_settings.people_without_an_account_write_to_it'),
      },
    ],
  },
  {
    title: t('project_settings.in_texts'),
    lines: [
      {
        key: 'show_default_award_emojis',
        kind: 'switch',
        label: t('project_settings.offer_thumbs_up_and_down'),
        help: t('project_settings.below_merge_requests_and_issues_before'),
      },
      {
        key: 'warn_about_potentially_unwanted_characters',
        kind: 'switch',
        label: t('project_settings.warn_about_hidden_characters'),
        help: t('project_settings.characters_that_turn_the_direction_of'),
      },
    ],
  },
]
