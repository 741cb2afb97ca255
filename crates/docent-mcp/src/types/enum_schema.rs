//! The choices a form can offer: one word or some, with titles or without.

use super::wire::wire;

wire! {
    /// One of several words.
    pub struct UntitledSingleSelectEnumSchema {
        /// The label.
        opt title: String = "title",
        /// What it decides.
        opt description: String = "description",
        /// The words.
        req values: Vec<String> = "enum",
        /// What is chosen at first.
        opt default: String = "default" [since V2025_11_25],
    }

    /// One of several words that have titles. For 2025-06-18 it is turned into a
    /// [`LegacyTitledEnumSchema`].
    pub struct TitledSingleSelectEnumSchema {
        /// The label.
        opt title: String = "title",
        /// What it decides.
        opt description: String = "description",
        /// The words and their titles.
        req options: Vec<EnumOption> = "oneOf",
        /// What is chosen at first.
        opt default: String = "default",
    }

    /// Some of several words.
    pub struct UntitledMultiSelectEnumSchema {
        /// The label.
        opt title: String = "title",
        /// What it decides.
        opt description: String = "description",
        /// How many have to be chosen at least.
        opt min_items: u64 = "minItems",
        /// How many may be chosen at most.
        opt max_items: u64 = "maxItems",
        /// The words.
        req items: UntitledItems = "items",
        /// What is chosen at first.
        opt default: Vec<String> = "default",
    }

    /// Some of several words that have titles.
    pub struct TitledMultiSelectEnumSchema {
        /// The label.
        opt title: String = "title",
        /// What it decides.
        opt description: String = "description",
        /// How many have to be chosen at least.
        opt min_items: u64 = "minItems",
        /// How many may be chosen at most.
        opt max_items: u64 = "maxItems",
        /// The words and their titles.
        req items: TitledItems = "items",
        /// What is chosen at first.
        opt default: Vec<String> = "default",
    }

    /// One of several words that have titles, in two lists. Deprecated, but all that 2025-06-18 has.
    pub struct LegacyTitledEnumSchema {
        /// The label.
        opt title: String = "title",
        /// What it decides.
        opt description: String = "description",
        /// The words.
        req values: Vec<String> = "enum",
        /// Their titles, in the same order.
        req names: Vec<String> = "enumNames",
        /// What is chosen at first.
        opt default: String = "default" [since V2025_11_25],
    }

    /// A word and its title.
    pub struct EnumOption {
        /// The word that is sent back.
        req value: String = "const",
        /// What the user reads.
        req title: String = "title",
    }

    /// The words of a multiple choice.
    pub struct UntitledItems {
        /// Always `string`.
        def kind: StringType = "type",
        /// The words.
        req values: Vec<String> = "enum",
    }

    /// The words of a multiple choice, with titles.
    pub struct TitledItems {
        /// The words and their titles.
        req options: Vec<EnumOption> = "anyOf",
    }
}

super::choice::choice! {
    /// The only type that the words of a choice have.
    pub enum StringType {
        /// Text.
        #[default]
        String = "string",
    }
}

impl UntitledSingleSelectEnumSchema {
    /// One of these words.
    pub fn new<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        UntitledSingleSelectEnumSchema { values, ..Default::default() }
    }
}

impl TitledSingleSelectEnumSchema {
    /// One of these words, each with its title.
    pub fn new<T: Into<String>, U: Into<String>>(
        options: impl IntoIterator<Item = (T, U)>,
    ) -> Self {
        TitledSingleSelectEnumSchema { options: with_titles(options), ..Default::default() }
    }
}

impl UntitledMultiSelectEnumSchema {
    /// Some of these words.
    pub fn new<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        let items = UntitledItems { values, ..Default::default() };
        UntitledMultiSelectEnumSchema { items, ..Default::default() }
    }
}

impl TitledMultiSelectEnumSchema {
    /// Some of these words, each with its title.
    pub fn new<T: Into<String>, U: Into<String>>(
        options: impl IntoIterator<Item = (T, U)>,
    ) -> Self {
        let items = TitledItems { options: with_titles(options), ..Default::default() };
        TitledMultiSelectEnumSchema { items, ..Default::default() }
    }
}

impl From<TitledSingleSelectEnumSchema> for LegacyTitledEnumSchema {
    fn from(schema: TitledSingleSelectEnumSchema) -> Self {
        let options = schema.options.into_iter().map(|option| (option.value, option.title));
        let (values, names) = options.unzip();
        LegacyTitledEnumSchema {
            title: schema.title,
            description: schema.description,
            values,
            names,
            default: schema.default,
            extra: schema.extra,
        }
    }
}

fn with_titles<T: Into<String>, U: Into<String>>(
    options: impl IntoIterator<Item = (T, U)>,
) -> Vec<EnumOption> {
    let option = |(value, title): (T, U)| EnumOption {
        value: value.into(),
        title: title.into(),
        ..Default::default()
    };
    options.into_iter().map(option).collect()
}
