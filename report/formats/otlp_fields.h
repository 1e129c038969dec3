/*
 * The numbers of fields in OTLP's profiles. Source: opentelemetry/proto/profiles/v1development/
 * profiles.proto, common/v1/common.proto and resource/v1/resource.proto of
 * github.com/open-telemetry/opentelemetry-proto at ac2c4b5 (2026-08-18, after release 1.11.0).
 */
#ifndef REPORT_FORMATS_OTLP_FIELDS_H
#define REPORT_FORMATS_OTLP_FIELDS_H

/* Of ProfilesData, and of ExportProfilesServiceRequest. */
enum otlp_data_field { OTLP_RESOURCE_PROFILES = 1, OTLP_DICTIONARY = 2 };
enum otlp_dictionary_field {
	OTLP_MAPPING_TABLE = 1,
	OTLP_LOCATION_TABLE = 2,
	OTLP_FUNCTION_TABLE = 3,
	OTLP_LINK_TABLE = 4,
	OTLP_STRING_TABLE = 5,
	OTLP_ATTRIBUTE_TABLE = 6,
	OTLP_STACK_TABLE = 7,
};
enum otlp_resource_profiles_field { OTLP_RESOURCE = 1, OTLP_SCOPE_PROFILES = 2 };
enum otlp_resource_field { OTLP_RESOURCE_ATTRIBUTES = 1 };
enum otlp_scope_profiles_field { OTLP_SCOPE = 1, OTLP_PROFILES = 2 };
enum otlp_scope_field { OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION = 2 };
enum otlp_profile_field {
	OTLP_SAMPLE_TYPE = 1,
	OTLP_SAMPLES = 2,
	OTLP_TIME = 3,
	OTLP_DURATION = 4,
	OTLP_PROFILE_ID = 7,
};
enum otlp_value_type_field { OTLP_TYPE = 1, OTLP_UNIT = 2 };
enum otlp_sample_field {
	OTLP_SAMPLE_STACK = 1,
	OTLP_SAMPLE_ATTRIBUTES = 2,
	OTLP_SAMPLE_LINK = 3,
	OTLP_SAMPLE_VALUES = 4,
	OTLP_SAMPLE_TIMES = 5,
};
enum otlp_mapping_field {
	OTLP_MAPPING_START = 1,
	OTLP_MAPPING_LIMIT = 2,
	OTLP_MAPPING_OFFSET = 3,
	OTLP_MAPPING_FILE = 4,
	OTLP_MAPPING_ATTRIBUTES = 5,
};
enum otlp_link_field { OTLP_LINK_TRACE = 1, OTLP_LINK_SPAN = 2 };
enum otlp_stack_field { OTLP_STACK_LOCATIONS = 1 };
enum otlp_location_field {
	OTLP_LOCATION_MAPPING = 1,
	OTLP_LOCATION_ADDRESS = 2,
	OTLP_LOCATION_LINES = 3,
	OTLP_LOCATION_ATTRIBUTES = 4,
};
enum otlp_line_field { OTLP_LINE_FUNCTION = 1, OTLP_LINE_NUMBER = 2 };
enum otlp_function_field {
	OTLP_FUNCTION_NAME = 1,
	OTLP_FUNCTION_SYMBOL = 2,
	OTLP_FUNCTION_FILE = 3,
};
enum otlp_attribute_field { OTLP_ATTRIBUTE_KEY = 1, OTLP_ATTRIBUTE_VALUE = 2 };
/* KeyValue, of resources. */
enum otlp_key_value_field { OTLP_KEY = 1, OTLP_VALUE = 2 };
enum otlp_any_value_field { OTLP_TEXT = 1, OTLP_INTEGER = 3 };

#endif
