import type { SettingSection } from '../../components/form/setting-lines.ts'

/** The preferences that are saved together. */
export const sections: readonly SettingSection[] = [
  {
    title: 'Window',
    lines: [
      {
        key: 'openAtLogin',
        kind: 'switch',
        label: 'Open at login',
        help: 'Starts without a window; the icon in the tray or menu bar shows that Deskforge is running.',
      },
      {
        key: 'quitOnClose',
        kind: 'switch',
        label: 'Quit when the window closes',
        help: 'Otherwise pushes and pipelines go on, and the icon opens the window again.',
      },
      { key: 'notifications', kind: 'switch', label: 'Show notifications' },
    ],
  },
  {
    title: 'Server',
    lines: [
      {
        key: 'port',
        kind: 'number',
        label: 'Port',
        help: 'Takes effect at the next start. If another program uses it, Deskforge takes the next free one.',
      },
    ],
  },
  {
    title: 'Updates',
    lead: 'Deskforge contacts no other computer unless you enter a release address here.',
    lines: [
      {
        key: 'updateFeed',
        kind: 'text',
        label: 'Release address',
        placeholder: 'https://…',
        help: 'A folder with releases on a web server.',
      },
      { key: 'updates', kind: 'switch', label: 'Check for updates daily' },
    ],
  },
]
