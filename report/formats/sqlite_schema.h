/* The tables and views of databases. */
#ifndef REPORT_FORMATS_SQLITE_SCHEMA_H
#define REPORT_FORMATS_SQLITE_SCHEMA_H

extern const char sqlite_schema_tables[];
/* Views, and the index that they need: made when the tables are full. */
extern const char sqlite_schema_views[];

#endif
