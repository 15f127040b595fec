import {
  Archive,
  AppWindow,
  BadgeCheck,
  Box,
  Braces,
  Gauge,
  IdCard,
  HardDrive,
  KeyRound,
  Laptop,
  Lock,
  Mail,
  Megaphone,
  MessageSquare,
  MonitorSmartphone,
  Palette,
  ScanLine,
  ScrollText,
  ShieldCheck,
  Ticket,
  UserRound,
  Users,
  Webhook,
} from '@lucide/vue'
import type { Component } from 'vue'
import { t } from '../../locales/t.ts'

export type Category = { label: string; to: string; icon: Component }
export type CategoryGroup = { title: string; admin?: boolean; items: readonly Category[] }

/** The column of the settings. A new page of settings adds its line here. */
export const categories: readonly CategoryGroup[] = [
  {
    title: t('common.you'),
    items: [
      { label: t('common.profile'), to: '/-/profile', icon: UserRound },
      { label: t('common.password'), to: '/-/profile/password/edit', icon: Lock },
      { label: t('frame.email_addresses'), to: '/-/profile/emails', icon: Mail },
      { label: t('common.access_tokens'), to: '/-/profile/personal_access_tokens', icon: Ticket },
      { label: t('common.ssh_keys'), to: '/-/profile/keys', icon: KeyRound },
      { label: t('frame.gpg_keys'), to: '/-/profile/gpg_keys', icon: BadgeCheck },
      { label: t('frame.sessions'), to: '/-/profile/active_sessions', icon: MonitorSmartphone },
      { label: t('frame.chats'), to: '/-/profile/chat_names', icon: MessageSquare },
      { label: t('common.applications'), to: '/-/profile/applications', icon: AppWindow },
      { label: t('frame.authorized'), to: '/-/profile/authorized_applications', icon: ShieldCheck },
      ...(window.desktop
        ? [{ label: t('common.application'), to: '/-/profile/application', icon: Laptop }]
        : []),
    ],
  },
  {
    title: t('frame.instance'),
    admin: true,
    items: [
      { label: t('common.overview'), to: '/admin/overview', icon: Gauge },
      { label: t('common.general'), to: '/admin/application_settings', icon: Box },
      { label: t('frame.appearance'), to: '/admin/application_settings/appearance', icon: Palette },
      { label: t('common.messages'), to: '/admin/broadcast_messages', icon: Megaphone },
      { label: t('common.users'), to: '/admin/users', icon: Users },
      { label: t('common.variables'), to: '/admin/variables', icon: Braces },
      { label: t('common.push_rules'), to: '/admin/push_rule', icon: ScanLine },
      { label: t('common.applications'), to: '/admin/applications', icon: AppWindow },
      { label: t('frame.system_hooks'), to: '/admin/hooks', icon: Webhook },
      { label: t('frame.emails_sent'), to: '/admin/mails', icon: Mail },
      { label: t('common.storage'), to: '/admin/storages', icon: HardDrive },
      { label: t('frame.backups'), to: '/admin/backups', icon: Archive },
      { label: t('common.identity_provider'), to: '/admin/scim', icon: IdCard },
      { label: t('common.audit_log'), to: '/admin/audit_log', icon: ScrollText },
    ],
  },
]
