// Generated from the declarations of the server. Do not edit.

export type AbilityRule = { from: number; feature?: string; public?: boolean; archived?: boolean }

export const abilities = {
  read_project: { from: 10, public: true },
  update_project: { from: 40 },
  delete_project: { from: 50 },
  archive_project: { from: 50 },
  read_project_members: { from: 10, public: true },
  manage_project_members: { from: 40 },
  read_code: { from: 20, feature: 'repository', public: true },
  push_code: { from: 30, feature: 'repository' },
} as const satisfies Record<string, AbilityRule>
