import { KeyRound, Box, UserRound, Users } from '@lucide/vue'
import type { Component } from 'vue'

export type Category = { label: string; to: string; icon: Component }
export type CategoryGroup = { title: string; admin?: boolean; items: readonly Category[] }

/** The column of the settings. A new page of settings adds its line here. */
export const categories: readonly CategoryGroup[] = [
  {
    title: 'You',
    items: [
      { label: 'Profile', to: '/-/profile', icon: UserRound },
      { label: 'Access tokens', to: '/-/profile/personal_access_tokens', icon: KeyRound },
    ],
  },
  {
    title: 'Instance',
    admin: true,
    items: [
      { label: 'General', to: '/admin/application_settings', icon: Box },
      { label: 'Users', to: '/admin/users', icon: Users },
    ],
  },
]
