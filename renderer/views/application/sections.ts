import type { SettingSection } from '../../components/form/setting-lines.ts'
import { t } from '../../locales/t.ts'

/** The preferences that are saved together. */
export const sections: readonly SettingSection[] = [
  {
    title: t('application.window'),
    lines: [
      {
        key: 'openAtLogin',
        kind: 'switch',
        label: t('application.open_at_login'),
        help: t('application.starts_without_a_window_the_icon_in'),
      },
      {
        key: 'quitOnClose',
        kind: 'switch',
        label: t('application.quit_when_the_window_closes'),
        help: t('application.if_off_pushes_and_pipelines_continue'),
      },
      { key: 'notifications', kind: 'switch', label: t('application.show_notifications') },
    ],
  },
  {
    title: t('application.server'),
    lines: [
      {
        key: 'port',
        kind: 'number',
        label: t('application.port'),
        help: t('application.takes_effect_after_a_restart_if_the'),
      },
    ],
  },
  {
    title: t('application.updates'),
    lead: t('application.deskforge_contacts_no_other_computer'),
    lines: [
      {
        key: 'updateFeed',
        kind: 'text',
        label: t('application.release_url'),
        placeholder: 'https://…',
        help: t('application.a_folder_with_releases_on_a_web_server'),
      },
      { key: 'updates', kind: 'switch', label: t('application.check_for_updates_daily') },
    ],
  },
]
