import { decimal, flag, line, numberChoice, singleChoice, markdown, integer } from './params-kinds.ts'
import { switches } from './params-lists.ts'
import type { Setting } from './types.ts'

/** Texts, pages and display options of the window. */
export const texts = {
  sign_in_text: markdown(null, 'Sign-in page text', 'For example who runs this instance. Markdown enabled.', {
    empty: 'none',
  }),
  after_sign_up_text: markdown(null, 'After sign-up text', 'Appears after the sign-up. Markdown enabled.', {
    empty: 'none',
  }),
  after_sign_out_path: line(
    null,
    'Sign-out page URL',
    'Users are redirected to this URL or path after they sign out.',
    {
      empty: 'the sign-in page',
      max: 1024,
    },
  ),
  home_page_url: line(
    null,
    'Home page URL',
    'Redirects users who are not signed in from the start page to this URL.',
    {
      empty: 'the sign-in page',
      max: 1024,
    },
  ),
  help_page_text: markdown(null, 'Help page text', 'Appears at the top of the help page. Markdown enabled.', {
    empty: 'none',
  }),
  help_text: markdown(null, 'Additional help page text', 'Also appears on the help page. Markdown enabled.', {
    empty: 'none',
  }),
  help_page_support_url: line(null, 'Support page URL', 'Link on the help page and error pages.', {
    empty: 'none',
    max: 1024,
  }),
  help_page_documentation_base_url: line(
    null,
    'Documentation pages URL',
    'Base URL of links to the documentation.',
    {
      empty: 'the instance',
    },
  ),
  help_page_hide_commercial_content: flag(
    false,
    'Hide marketing-related entries from the help page',
    'Deskforge has no such entries.',
    {
      effect: 'echo',
    },
  ),
  hide_third_party_offers: flag(
    false,
    'Do not display third-party offers',
    'Deskforge has no third-party offers.',
    { effect: 'echo' },
  ),
  whats_new_variant: singleChoice(
    { all_tiers: 'Everything', current_tier: 'Features of this instance', disabled: 'Nothing' },
    'all_tiers',
    'What’s new',
    'Controls the list of changes of new releases.',
  ),
  first_day_of_week: numberChoice(
    [
      [0, 'Sunday'],
      [1, 'Monday'],
      [6, 'Saturday'],
    ],
    0,
    'Default first day of the week',
    'Used in calendars. Users can choose another day.',
  ),
  time_tracking_limit_to_hours: flag(
    false,
    'Limit display of time tracking units to hours',
    'If off, times also use weeks and days.',
  ),
  default_syntax_highlighting_theme: integer(
    1,
    'Default syntax highlighting theme',
    'ID of the theme for new users.',
    {
      min: 1,
      max: 100,
    },
  ),
  local_markdown_version: integer(
    0,
    'Local Markdown version',
    'Increase it to render all cached Markdown again.',
    {
      min: 0,
      max: 65_535,
    },
  ),
  polling_interval_multiplier: decimal(
    1,
    'Polling interval multiplier',
    'Pages poll for changes this many times less often. 0 turns polling off.',
    { min: 0 },
  ),
  security_txt_content: markdown(null, 'Content of security.txt', 'Served at /.well-known/security.txt.', {
    empty: 'none',
  }),
  floc_enabled: flag(
    false,
    'Participate in FLoC',
    'Allows browsers to group users by their interests. If off, pages opt out.',
  ),
  asciidoc_max_includes: integer(
    32,
    'Maximum AsciiDoc includes',
    'Deskforge does not resolve include directives.',
    { min: 0, max: 64, effect: 'echo' },
  ),
  wiki_asciidoc_allow_uri_includes: flag(false, 'Allow URI includes for AsciiDoc wiki pages', '', {
    effect: 'echo',
  }),
  diagramA_enabled: flag(false, 'Enable PlantUML', 'Renders PlantUML code blocks as diagrams.', {
    needs: ['diagramA_url'],
  }),
  diagramA_url: line(null, 'PlantUML URL', 'The window loads the images from this server.', {
    empty: 'none',
    max: 1024,
  }),
  kroki_enabled: flag(
    false,
    'Enable Kroki',
    'Renders code blocks of the languages that Kroki supports as diagrams.',
    { needs: ['kroki_url'] },
  ),
  kroki_url: line(null, 'Kroki URL', 'The window loads the images from this server.', {
    empty: 'none',
    max: 1024,
  }),
  kroki_formats: switches(
    ['blockdiag', 'bpmn', 'excalidraw', 'mermaid'],
    'Additional Kroki formats',
    'Formats that need additional containers on the Kroki server.',
    { below: 'kroki_enabled' },
  ),
} satisfies Record<string, Setting>
