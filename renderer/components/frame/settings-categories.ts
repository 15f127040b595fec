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

export type Category = { label: string; to: string; icon: Component }
export type CategoryGroup = { title: string; admin?: boolean; items: readonly Category[] }

/** The column of the settings. A new page of settings adds its line here. */
export const categories: readonly CategoryGroup[] = [
  {
    title: 'You',
    items: [
      { label: 'Profile', to: '/-/profile', icon: UserRound },
      { label: 'Password', to: '/-/profile/password/edit', icon: Lock },
      { label: 'Email addresses', to: '/-/profile/emails', icon: Mail },
      { label: 'Access tokens', to: '/-/profile/personal_access_tokens', icon: Ticket },
      { label: 'SSH keys', to: '/-/profile/keys', icon: KeyRound },
      { label: 'GPG keys', to: '/-/profile/gpg_keys', icon: BadgeCheck },
      { label: 'Sessions', to: '/-/profile/active_sessions', icon: MonitorSmartphone },
      { label: 'Chats', to: '/-/profile/chat_names', icon: MessageSquare },
      { label: 'Applications', to: '/-/profile/applications', icon: AppWindow },
      { label: 'Authorized', to: '/-/profile/authorized_applications', icon: ShieldCheck },
      ...(window.desktop ? [{ label: 'Application', to: '/-/profile/application', icon: Laptop }] : []),
    ],
  },
  {
    title: 'Instance',
    admin: true,
    items: [
      { label: 'Overview', to: '/admin/overview', icon: Gauge },
      { label: 'General', to: '/admin/application_settings', icon: Box },
      { label: 'Appearance', to: '/admin/application_settings/appearance', icon: Palette },
      { label: 'Messages', to: '/admin/broadcast_messages', icon: Megaphone },
      { label: 'Users', to: '/admin/users', icon: Users },
      { label: 'Variables', to: '/admin/variables', icon: Braces },
      { label: 'Push rules', to: '/admin/push_rule', icon: ScanLine },
      { label: 'Applications', to: '/admin/applications', icon: AppWindow },
      { label: 'System hooks', to: '/admin/hooks', icon: Webhook },
      { label: 'Emails sent', to: '/admin/mails', icon: Mail },
      { label: 'Storage', to: '/admin/storages', icon: HardDrive },
      { label: 'Backups', to: '/admin/backups', icon: Archive },
      { label: 'Identity provider', to: '/admin/scim', icon: IdCard },
      { label: 'Audit log', to: '/admin/audit_log', icon: ScrollText },
    ],
  },
]
